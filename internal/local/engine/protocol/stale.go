package protocol

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// change is the latest change of an item.
type change struct {
	old item.Item // nil if there was none
	at  model.Time
}

// remember keeps a change for reads that are eventually consistent.
func (l *limits) remember(c *engine.Change) {
	if l.StaleReads == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if now.Sub(l.pruned) > l.StaleReads {
		l.pruned = now
		for k, r := range l.recent {
			if now.Sub(r.at) > l.StaleReads {
				delete(l.recent, k)
			}
		}
	}
	l.recent[c.Key] = change{old: c.Old, at: now}
}

// asRead returns an item as a read sees it: without its latest change if the read is not consistent, and the
// change younger than the read's replica is behind.
func (l *limits) asRead(k keys.Key, it item.Item, behind time.Duration) item.Item {
	if l == nil || behind == 0 {
		return it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, changed := l.recent[k]; changed && l.now().Sub(r.at) < behind {
		return r.old
	}
	return it
}

// asReadPage is asRead for the items of a page. An item that was not in the index before its latest change,
// or at another place, is not in the page.
func (t *table) asReadPage(r *pageRequest, index engine.Index, items []item.Item) []item.Item {
	behind := t.limits.behind(r.consistent)
	if behind == 0 {
		return items
	}
	schema := t.Schema()
	var seen []item.Item
	for _, it := range items {
		k, err := schema.Key(it)
		was := t.limits.asRead(k, it, behind)
		if err == nil && was != nil && was[index.Partition].S == it[index.Partition].S &&
			was[index.Sort].S == it[index.Sort].S {
			seen = append(seen, was)
		}
	}
	return seen
}

// behind returns how far the replica of a read is behind: nothing if it is consistent.
func (l *limits) behind(consistent bool) time.Duration {
	if l == nil || consistent || l.StaleReads == 0 {
		return 0
	}
	return time.Duration(l.draw() * float64(l.StaleReads))
}

// Delays reports whether the stream of a table has a record that cannot be read yet.
func (s *Server) Delays(name string) bool {
	t, err := s.find(name)
	if err != nil {
		return false
	}
	tail := t.Tail()
	return tail > 0 && t.limits.young(t.Records(tail-1)) >= 0
}

// young returns the index of the first record that cannot be read yet; -1 if there is none. A record has the
// whole second of its change.
func (l *limits) young(records []engine.Record) int {
	if l == nil || l.RecordsAfter == 0 {
		return -1
	}
	readable := l.now().Add(-l.RecordsAfter)
	return slices.IndexFunc(records, func(r engine.Record) bool { return r.At > readable })
}
