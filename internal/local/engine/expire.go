package engine

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxExpiryAge is the age up to which TTL removes an expired item. DynamoDB ignores older
// values: it assumes that they are not times of expiry.
const maxExpiryAge = 5 * 365 * 24 * time.Hour

// expiring is an item that expires at a time, in epoch seconds.
type expiring struct {
	at  int64
	key keys.Key
}

func expiresBefore(a, b expiring) bool {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key.PK, b.key.PK), cmp.Compare(a.key.SK, b.key.SK)) < 0
}

// Expire removes the items that have expired by now and that pick selects, as TTL does, in order of their
// keys. nil selects all. It returns how many it removed. Expired items stay readable until it is called.
func (t *Table) Expire(now model.Time, pick func(keys.Key) bool) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	var due []keys.Key
	least, most := now.Add(-maxExpiryAge).Seconds(), now.Seconds()
	t.expiring.Ascend(expiring{at: least + 1}, func(e expiring) bool {
		if e.at <= most && (pick == nil || pick(e.key)) {
			due = append(due, e.key)
		}
		return e.at <= most
	})
	slices.SortFunc(due, func(a, b keys.Key) int {
		return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK))
	})
	c := Commit{}
	for _, k := range due {
		c.add(t.change(Change{Key: k, Old: t.get(k)}, true))
	}
	t.append(&c)
	return len(due)
}

// expireLater moves an item among those that expire. The caller holds mu.
func (t *Table) expireLater(k keys.Key, old, it item.Item) {
	was, before := t.expiry(old)
	is, now := t.expiry(it)
	if before && (!now || was != is) {
		t.expiring.Delete(expiring{was, k})
	}
	if now {
		t.expiring.Set(expiring{is, k})
	}
}

// expiry returns when an item expires, in epoch seconds; ok is false if it never does.
func (t *Table) expiry(it item.Item) (at int64, ok bool) {
	v := it[t.options.TTL]
	if v.Type != item.N || t.options.TTL == "" {
		return 0, false
	}
	at, err := strconv.ParseInt(v.S, 10, 64)
	return at, err == nil
}

// SetTTL enables TTL by an attribute; "" disables it.
func (t *Table) SetTTL(attribute string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.options.TTL == attribute {
		return
	}
	t.options.TTL = attribute
	t.expiring.Clear()
	t.items.Scan(func(e entry) bool {
		t.expireLater(keys.Key{PK: e.at.PK, SK: e.at.SK}, nil, e.it.item())
		return true
	})
}
