package memory

import (
	"slices"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxExpiryAge is the age up to which TTL removes an expired item. DynamoDB ignores older
// values: it assumes that they are not times of expiry.
const maxExpiryAge = 5 * 365 * 24 * time.Hour

// Expire removes all items that have expired by now, as TTL does, in order of their keys.
// It returns how many it removed. Expired items stay readable until it is called.
func (t *Table) Expire(now model.Time) int {
	return t.ExpireWhere(now, func(keys.Key) bool { return true })
}

// ExpireWhere is Expire for the expired items that pick selects: TTL removes items late
// and in no particular order.
func (t *Table) ExpireWhere(now model.Time, pick func(keys.Key) bool) (removed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	least, most := now.Add(-maxExpiryAge).Seconds(), now.Seconds()
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
			removed++
		}
	}
	return removed
}

// expiry returns when an item expires, in epoch seconds; ok is false if it never does.
func expiry(it item.Item) (at int64, ok bool) {
	v := it[keys.AttrExpiresAt]
	if v.Type != item.N {
		return 0, false
	}
	at, err := strconv.ParseInt(v.S, 10, 64)
	return at, err == nil
}
