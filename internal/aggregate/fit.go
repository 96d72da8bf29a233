package aggregate

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Fit reduces row to what is stored of it and returns its size in bytes. A row larger
// than rollup.MaxRowBytes loses its summary. Both the writer of a row and the recount
// that it is compared with use Fit, so that an oversize row is not rewritten each time.
func Fit(row *rollup.Row, spec *rollup.Spec) (size int, oversize bool) {
	stored, err := item.FromRow(row)
	if errors.Is(err, item.ErrRowTooLarge) {
		row.Fold, oversize = *row.WithoutSummary(spec), true
		stored, _ = item.FromRow(row)
	}
	return stored.Size(), oversize
}
