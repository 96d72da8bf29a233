package ingest

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// lateOutcomes are the outcomes of events that are older than the latest item.
var lateOutcomes = map[catalog.LatePolicy]model.Outcome{
	"":               model.Late, // a kind that is not from a catalog
	catalog.KeepLate: model.Late,
	catalog.DropLate: model.Stale,
}

// duplicateOrCollision returns the outcome of an event whose identity is taken.
func duplicateOrCollision(ours, stored model.Hash) model.Outcome {
	if ours == stored {
		return model.Duplicate
	}
	return model.Collision
}

// asWritten returns the latest item as w wrote it: the fields of w, without enrichment,
// which the result of a transaction does not contain.
func asWritten(w *storage.LatestWrite) *model.Latest {
	return &model.Latest{Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set,
		Partial: true}
}

// AnyUnknown reports whether some observation was not decided and must be sent again.
func AnyUnknown(results []model.AppendResult) bool {
	return slices.ContainsFunc(results, func(r model.AppendResult) bool { return r.Outcome == model.Unknown })
}
