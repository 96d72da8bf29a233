package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/config"
)

// Changes prints the changes of a configuration, the refused ones first: they prevent the
// deployment. It returns how many are refused.
func Changes(w io.Writer, changes []config.Change) (refused int) {
	count := map[config.Class]int{}
	for _, class := range []config.Class{config.Refused, config.NeedsRebuild, config.Safe} {
		for _, c := range changes {
			if c.Class == class {
				count[class]++
				fmt.Fprintln(w, c)
			}
		}
	}
	fmt.Fprintf(w, "%d changes: %d safe, %d need a rebuild, %d refused\n", len(changes), count[config.Safe], count[config.NeedsRebuild], count[config.Refused])
	return count[config.Refused]
}
