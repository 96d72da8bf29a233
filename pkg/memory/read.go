package memory

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Events reads one page of a series' events. It skips items whose key is not an event's.
func (t *Table) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	const operation = "read events"
	lo, hi := tablekeys.EventRange(&r)
	request, err := itemop.RangeRequest(&r, lo, hi)
	if err != nil {
		return storage.EventPage{}, fmt.Errorf("%s: %w", operation, err)
	}
	page, err := t.page(ctx, operation, &request)
	if err != nil {
		return storage.EventPage{}, err
	}
	return storage.EventPage{Events: itemop.DecodeAll(page.Items, item.Event), Next: page.Next.Key.SK}, nil
}

// List reads one page of a partition, or of an index partition.
func (t *Table) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	return t.page(ctx, "list", &l)
}

// Partition reads one page of all items under a partition key, in the order of the sort keys, after a
// position; the zero Key is the start. The returned position is the zero Key after the last page.
func (t *Table) Partition(ctx context.Context, pk string,
	after keys.Key) (page []item.Item, next keys.Key, _ error) {
	listed, err := t.List(ctx, itemop.ListRequest{Partition: pk, After: itemop.Position{Key: after}})
	return listed.Items, listed.Next.Key, err
}

// read reads one item. Every read is consistent, but costs half unless consistent is set.
func (t *Table) read(ctx context.Context, operation string, k keys.Key, consistent bool) (item.Item, error) {
	if err := checkContext(ctx, operation); err != nil {
		return nil, err
	}
	it, _ := t.engine.Get(k)
	countRead(ctx, min(len(it), 1), it.Size(), consistent)
	return it, nil
}

// page reads one page of items.
func (t *Table) page(ctx context.Context, operation string,
	l *itemop.ListRequest) (page itemop.ListPage, _ error) {
	if err := checkContext(ctx, operation); err != nil {
		return page, err
	}
	r := engine.Range{Index: l.Index, Partition: l.Partition, Prefix: l.Prefix, From: l.From, To: l.To,
		Newest: l.Newest, Limit: l.Limit}
	if l.After != (itemop.Position{}) {
		r.After = &engine.Position{Key: keys.Key{PK: l.Partition, SK: l.After.Key.SK}}
		if l.Index != "" {
			r.After = &engine.Position{Key: l.After.Key, IndexPartition: l.Partition, Index: l.After.Sort}
		}
	}
	found, _ := t.engine.Query(&r)
	countRead(ctx, len(found.Items), found.Bytes, l.Index == "" && !l.Eventual)
	page.Items = found.Items
	if found.Next != nil {
		page.Next = itemop.Position{Key: found.Next.Key, Sort: found.Next.Index}
	}
	return page, nil
}

// unitBytes is how much one strongly consistent read unit reads.
const unitBytes = 4 << 10

// countRead counts what a read of so many items and bytes would cost in DynamoDB.
func countRead(ctx context.Context, items, size int, consistent bool) {
	units := float64(max(1, (size+unitBytes-1)/unitBytes))
	if !consistent {
		units /= 2
	}
	model.ReadMeterFrom(ctx).Add(model.ReadCost{Requests: 1, Items: items, Units: units})
}
