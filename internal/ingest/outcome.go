package ingest

import (
	"slices"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// lateVerdicts are the verdicts on an event older than current.
var lateVerdicts = map[catalog.LatePolicy]model.Verdict{
	"":               model.Late, // a kind that no catalog has completed
	catalog.KeepLate: model.Late,
	catalog.DropLate: model.Stale,
}

// sameOrNot is the verdict on an identity that is taken.
func sameOrNot(ours, stored model.Hash) model.Verdict {
	if ours == stored {
		return model.Duplicate
	}
	return model.Collision
}

// asWritten is current as w wrote it: the fields it named, and no enrichment, which
// a transaction does not show.
func asWritten(w *CurrentWrite) *model.Current {
	return &model.Current{Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set}
}

// Undecided reports whether an outcome is left open, to be sent again.
func Undecided(outcomes []model.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o model.Outcome) bool { return o.Verdict == model.Unknown })
}
