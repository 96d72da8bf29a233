package aggregate

import (
	"errors"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Fit leaves in a row what is stored of it, and answers its size in bytes: all of it, or,
// where that is past rollup.MaxRowBytes, all but its summary. Whoever writes a row, and
// whoever says what one should hold, goes by this, so that a row once cut is at rest.
func Fit(row *rollup.Row, spec *rollup.Spec) (size int, oversize bool) {
	stored, err := item.FromRow(row)
	if errors.Is(err, item.ErrRowTooLarge) {
		row.Fold, oversize = *row.WithoutSummary(spec), true
		stored, _ = item.FromRow(row)
	}
	return stored.Size(), oversize
}
