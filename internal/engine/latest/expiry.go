package latest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// emptyKept is how long a derived latest item without an event is kept: longer than a fold that read it runs.
const emptyKept = 24 * time.Hour

// setExpiry lets a derived latest item expire once all its events were deleted, and keeps it when it has an
// event again. A kind with enrichment keeps the empty item: an enricher may write to it without this rule.
func (f *fold) setExpiry(a *itemop.Action, stored item.Item, next *item.DerivedLatest) {
	_, expires := stored[keys.AttrExpiresAt]
	switch {
	case f.kind.LatestInTransaction() || len(f.kind.Enrichment) > 0:
	case !next.Ordered && len(next.Attrs) == 0:
		a.Set[keys.AttrExpiresAt] = item.Number(f.Now().Add(emptyKept).Seconds())
	case expires:
		a.Remove = append(a.Remove, keys.AttrExpiresAt)
	}
}
