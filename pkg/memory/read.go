package memory

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// pageBytes is the size at which a page ends.
const pageBytes = 1 << 20

// Events reads one page of a series' events. It skips items whose key is not an event's.
func (t *Table) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	const operation = "read events"
	lo, hi := tablekeys.EventRange(&r)
	request, err := table.RangeRequest(&r, lo, hi)
	if err != nil {
		return storage.EventPage{}, fmt.Errorf("%s: %w", operation, err)
	}
	page, err := t.page(ctx, operation, &request)
	if err != nil {
		return storage.EventPage{}, err
	}
	return storage.EventPage{Events: table.DecodeAll(page.Items, item.Event), Next: page.Next.Key.SK}, nil
}

// List reads one page of a partition, or of an index partition.
func (t *Table) List(ctx context.Context, l table.ListRequest) (table.ListPage, error) {
	page, err := t.page(ctx, "list", &l)
	page.Items = lists.Map(page.Items, clone)
	return page, err
}

// Partition reads one page of all items under a partition key, in the order of the sort keys, after a
// position; the zero Key is the start. The returned position is the zero Key after the last page.
func (t *Table) Partition(ctx context.Context, pk string, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	listed, err := t.List(ctx, table.ListRequest{Partition: pk, After: table.Position{Key: after}})
	return listed.Items, listed.Next.Key, err
}

// read reads one item. Every read is consistent, but costs half unless consistent is set.
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

// page reads one page of items, which are shared with the table. As in DynamoDB, a page that
// ends at its limit has a next one, which may be empty.
func (t *Table) page(ctx context.Context, operation string, l *table.ListRequest) (page table.ListPage, _ error) {
	if err := checkContext(ctx, operation); err != nil {
		return page, err
	}
	size := 0
	defer func() { countRead(ctx, len(page.Items), size, l.Index == "" && !l.Eventual) }()
	t.mu.Lock()
	defer t.mu.Unlock()
	for it := range t.listed(l) {
		page.Items, size = append(page.Items, it), size+it.Size()
		if len(page.Items) == l.Limit || size >= pageBytes {
			page.Next = table.Position{Key: it.Key()}
			if l.Index != "" {
				page.Next.Sort = it.IndexKey(l.Index).SK
			}
			return page, nil
		}
	}
	return page, nil
}

// listed returns the items of a request after its position, in the requested order. The caller holds mu.
func (t *Table) listed(l *table.ListRequest) iter.Seq[item.Item] {
	if l.Index != "" {
		return slices.Values(t.indexed(l))
	}
	p := t.partitions[l.Partition]
	return func(yield func(item.Item) bool) {
		for _, sk := range p.between(l) {
			if !yield(p.items[sk]) {
				return
			}
		}
	}
}

// between returns the sort keys of a request after its position, in the requested order.
func (p *partition) between(l *table.ListRequest) []string {
	if p == nil {
		return nil
	}
	from := sort.Search(len(p.sorted), func(i int) bool { return place(l, p.sorted[i]) >= 0 })
	to := sort.Search(len(p.sorted), func(i int) bool { return place(l, p.sorted[i]) > 0 })
	if after := l.After.Key.SK; after != "" {
		at, there := slices.BinarySearch(p.sorted, after)
		switch {
		case l.Newest:
			to = at
		case there:
			from = at + 1
		default:
			from = at
		}
	}
	left := p.sorted[from:max(from, to)]
	if l.Newest {
		left = slices.Clone(left)
		slices.Reverse(left)
	}
	return left
}

// place returns -1 for a sort key before the range of a request, 0 for one in it, and 1 for one after it.
func place(l *table.ListRequest, sk string) int {
	switch {
	case sk < max(l.From, l.Prefix):
		return -1
	case l.To != "" && sk > l.To, !strings.HasPrefix(sk, l.Prefix):
		return 1
	default:
		return 0
	}
}

// indexed returns the items of a request on an index after its position, in the requested order.
// It visits every item of the table. The caller holds mu.
func (t *Table) indexed(l *table.ListRequest) (found []item.Item) {
	for _, p := range t.partitions {
		for _, it := range p.items {
			if k := it.IndexKey(l.Index); k.PK == l.Partition && place(l, k.SK) == 0 {
				found = append(found, it)
			}
		}
	}
	// Items with equal sort keys in the index are ordered by their own keys.
	position := func(sort string, k keys.Key) string { return sort + "\x00" + k.PK + "\x00" + k.SK }
	of := func(it item.Item) string { return position(it.IndexKey(l.Index).SK, it.Key()) }
	direction := 1
	if l.Newest {
		direction = -1
	}
	slices.SortFunc(found, func(a, b item.Item) int { return direction * strings.Compare(of(a), of(b)) })
	if l.After == (table.Position{}) {
		return found
	}
	after := position(l.After.Sort, l.After.Key)
	return slices.DeleteFunc(found, func(it item.Item) bool { return direction*strings.Compare(of(it), after) <= 0 })
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
