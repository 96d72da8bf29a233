package aggregate

import (
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// reportDifference counts and reports a row that differs from its children.
func (r *recomputation) reportDifference(text string) {
	r.counts.Changed++
	if report := r.bucket.options.OnDifference; report != nil {
		report(Note{Key: r.bucket.key, Text: text})
	}
}

// reportFold reports that the children of old add up to another fold.
func (r *recomputation) reportFold(old *rollup.Row, fold *rollup.Fold) {
	text := ""
	if r.bucket.options.OnDifference != nil {
		text = difference(old, fold)
	}
	r.reportDifference(text)
}

// difference describes how fold differs from the row.
func difference(old *rollup.Row, fold *rollup.Fold) string {
	switch {
	case fold.Children == 0:
		return fmt.Sprintf("the row has %s, but no children", eventsOf(old))
	case !exists(old):
		return fmt.Sprintf("no row, but children with %d events", fold.Summary.Events())
	default:
		return fmt.Sprintf("the row has %s, its children have %d", eventsOf(old), fold.Summary.Events())
	}
}

func eventsOf(row *rollup.Row) string {
	if row == nil || row.Summary == nil {
		return "no readable summary"
	}
	return fmt.Sprintf("%d events", row.Summary.Events())
}
