package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// pageBytes is the size at which a page ends.
const pageBytes = 1 << 20

// Row reads one row; nil if there is none.
func (t *Table) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	it, err := t.read(ctx, "read rollup", keys.Row(key), true)
	return table.Decode(it, err, table.Row)
}

// Latest reads the latest item of a series; nil if there is none. Every read is
// consistent, but costs half unless consistent is set.
func (t *Table) Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error) {
	it, err := t.read(ctx, "read latest item", keys.Latest(series), consistent)
	return table.Decode(it, err, item.Latest)
}

// Events reads one page of a series' events. It skips items whose key is not an event's.
func (t *Table) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	lo, hi := tablekeys.EventRange(&r)
	items, next, err := t.query(ctx, "read events", &r, lo, hi)
	if err != nil {
		return storage.EventPage{}, err
	}
	return storage.EventPage{Events: table.DecodeAll(items, item.Event), Next: next}, nil
}

// Rows reads one page of a series' rows. It skips items whose key is not a row's.
func (t *Table) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	lo, hi := keys.RowRange(r.Series, unit, r.From, r.To)
	items, next, err := t.query(ctx, "read rollups", &r, lo, hi)
	if err != nil {
		return rollup.RowPage{}, err
	}
	page := rollup.RowPage{Rows: make([]rollup.Row, 0, len(items)), Next: next}
	for _, it := range items {
		if row, ok := item.RowOrBare(it); ok {
			page.Rows = append(page.Rows, row)
		}
	}
	return page, nil
}

func (t *Table) read(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error) {
	if err := checkContext(ctx, operation); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.get(k)
	countRead(ctx, min(len(it), 1), it.Size(), consistent)
	return it, nil
}

// query reads one page of the sort keys from lo to hi, both included. As in DynamoDB, a
// page that ends at its limit has a next one, which may be empty.
func (t *Table) query(ctx context.Context, operation string, r *storage.Range, lo, hi string) (page []item.Item, next string, _ error) {
	if err := checkContext(ctx, operation); err != nil {
		return nil, "", err
	}
	if r.After != "" && (r.After < lo || r.After > hi) {
		return nil, "", fmt.Errorf("%s: %w: position %.120q is outside the range: pass Next of the previous page, with the same range", operation, errMalformed, r.After)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := 0
	defer func() { countRead(ctx, len(page), size, r.Consistent) }()
	p := t.partitions[keys.Partition(r.Series)]
	if p == nil {
		return nil, "", nil
	}
	for _, sk := range p.between(lo, hi, r) {
		it := p.items[sk]
		page, size = append(page, it), size+it.Size()
		if len(page) == r.Limit || size >= pageBytes {
			return page, sk, nil
		}
	}
	return page, "", nil
}

// between returns the sort keys of the range after r.After, in the requested order.
func (p *partition) between(lo, hi string, r *storage.Range) []string {
	from, _ := slices.BinarySearch(p.sorted, lo)
	to, there := slices.BinarySearch(p.sorted, hi)
	if there {
		to++
	}
	if r.After != "" {
		at, there := slices.BinarySearch(p.sorted, r.After)
		switch {
		case r.Newest:
			to = at
		case there:
			from = at + 1
		default:
			from = at
		}
	}
	left := p.sorted[from:max(from, to)]
	if r.Newest {
		left = slices.Clone(left)
		slices.Reverse(left)
	}
	return left
}

// unitBytes is how much one strongly consistent read unit reads.
const unitBytes = 4 << 10

// countRead counts what a read of so many items and bytes would cost in DynamoDB.
func countRead(ctx context.Context, items, size int, consistent bool) {
	units := float64(max(1, (size+unitBytes-1)/unitBytes))
	if !consistent {
		units /= 2
	}
	model.ReadMeterOf(ctx).Add(model.ReadCost{Requests: 1, Items: items, Units: units})
}

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
