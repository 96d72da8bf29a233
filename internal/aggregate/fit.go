package aggregate

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Fit reduces row to what is stored of it: a row larger than rollup.MaxRowBytes loses its
// summary, and Fit returns true. Both the writer of a row and the recount that it is
// compared with use Fit, so that an oversize row is not rewritten each time.
func Fit(row *rollup.Row, spec *rollup.Spec) (oversize bool) {
	if _, err := item.FromRow(row); !errors.Is(err, item.ErrRowTooLarge) {
		return false
	}
	row.Fold = *row.WithoutSummary(spec)
	return true
}
