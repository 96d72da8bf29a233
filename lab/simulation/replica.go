package simulation

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/pkg/memory"
)

// replica is a copy of the table that is seconds behind. A read that does not ask for
// consistency sometimes reads it.
type replica struct {
	*world
	copy *metered
	at   uint64 // last record of the log that the copy has
}

const (
	behind     = 20 * time.Second
	staleReads = "stale reads"
)

func newReplica(w *world) *replica {
	return &replica{world: w, copy: newMetered(memory.New(w.Now), w.Add)}
}

// tableFor returns the table that a read is served from.
func (r *replica) tableFor(ctx context.Context, consistent bool) *metered {
	if consistent || !r.DiceFrom(ctx).Chance("from the replica", .5) {
		return r.store.table
	}
	r.Count(staleReads)
	for _, change := range r.store.table.Records(r.at) {
		if change.At > r.Now().Add(-behind) {
			break
		}
		r.at = change.Seq
		if change.New == nil {
			_ = r.copy.DeleteItem(context.Background(), change.Keys)
		} else {
			_ = r.copy.PutItem(context.Background(), change.New)
		}
	}
	return r.copy
}
