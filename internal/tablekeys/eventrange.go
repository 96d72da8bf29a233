package tablekeys

import (
	"github.com/tidemark-db/tidemark/internal/keyparts"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// EventRange returns the inclusive bounds of the sort keys of the events of a range, as
// keys.EventRange does, with the bounds of their ids.
func EventRange(r *storage.Range) (lo, hi string) {
	lo, hi = keys.EventRange(r.Series, r.From, r.To)
	if r.From >= r.To {
		return lo, hi
	}
	if r.FirstID != "" {
		lo += string(separator) + keyparts.Join(r.FirstID)
	}
	if r.LastID != "" {
		hi = hi[:len(hi)-1] + string(separator) + keyparts.Join(r.LastID)
	}
	return lo, max(lo, hi)
}
