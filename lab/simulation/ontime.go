package simulation

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Counts of changes.
const (
	changesOnTime   = "changes of events before their buckets closed"
	changesUnqueued = "events sent without a queued bucket"
)

// add adds a change. Sweeps run whether or not its bucket is queued.
func (r *readers) add(c change) {
	due, promised := r.promised(r.now, c.key)
	if promised && r.before != nil {
		_, promised = r.promised(r.before, c.key)
	}
	if promised {
		r.scheduleSweeps(due)
	}
	if c.onTime = promised && r.store.writer && !r.unqueued[c.key]; c.onTime {
		r.Count(changesOnTime)
	}
	c.at = r.Now()
	r.changes = append(r.changes, c)
}

// exempt notes that events are sent although their buckets may not be queued.
func (r *readers) exempt(events []model.EventKey, _ error) {
	r.Add(changesUnqueued, len(events))
	for _, e := range events {
		r.unqueued[e] = true
	}
}

// The clocks of processes that may defer are less than this wrong, and no process lives longer.
const (
	clockError = time.Minute
	longestRun = 15 * time.Minute
)

// promised reports whether writers queue the bucket of an event, or of its sessions, that is changed now, by
// a configuration: its finest bucket is deferred for so long that every writer knows, and no writer takes it
// for closed. It returns the bucket's invalidation.
func (r *readers) promised(kinds *catalog.Catalog, key model.EventKey) (i storage.Invalidation, queued bool) {
	kind, _ := kinds.Kind(kindName)
	if visits, are := kinds.Kind(visitName); are {
		kind, key.Series = visits, visits.SessionSeries(key.Series)
	}
	for level, t := range kind.Retention.Tiers {
		if b := t.Unit.BucketAt(key.At); t.HasRow(b) {
			known := t.DeferredFrom == 0
			if !known && t.DeferredFrom != model.MaxTime {
				known = r.Now() >= t.DeferredFrom.Add(longestRun+clockError)
			}
			i = storage.FirstGeneration.Invalidation(kind.Retention.ClosesAt(level, b, key.Series), rowOver(t, key))
			return i, t.Deferred && known && r.Now().Add(clockError) < i.Due
		}
	}
	return i, false
}
