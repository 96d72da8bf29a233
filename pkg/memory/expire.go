package memory

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// longPast is how old an expiry may be: the service leaves an item alone whose
// expiry lies further back, for it takes the number for something else.
const longPast = 5 * 365 * 24 * time.Hour

// Expire removes what has expired by now, as TTL does, in order of the keys, and
// answers how many items went. Until it is called they stand and are shown.
func (t *Table) Expire(now model.Time) int {
	return t.ExpireWhere(now, func(keys.Key) bool { return true })
}

// ExpireWhere is Expire for those of the expired items that pick chooses: TTL comes
// late, and in no order.
func (t *Table) ExpireWhere(now model.Time, pick func(keys.Key) bool) (gone int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	least, most := now.Add(-longPast).Seconds(), now.Seconds()
	for _, pk := range t.order {
		p := t.partitions[pk]
		for _, sk := range slices.Clone(p.sorted) {
			k, old := keys.Key{PK: pk, SK: sk}, p.items[sk]
			at, expires := expiry(old)
			if !expires || at > most || at <= least || !pick(k) {
				continue
			}
			t.put(k, nil)
			t.record(k, old, nil, true)
			gone++
		}
	}
	return gone
}
