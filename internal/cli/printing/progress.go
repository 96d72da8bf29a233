package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Progress says which changes may be missing from a result, if any may.
func Progress(w io.Writer, p query.Progress, now model.Time) {
	warnings := p.Warnings(now)
	if len(warnings) == 0 {
		return
	}
	fmt.Fprintln(w, p.Text(now))
	for _, text := range warnings {
		fmt.Fprintln(w, text)
	}
}
