package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// GetItem reads an item; nil if there is none.
func (t *Table) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	it, err := t.read(ctx, "get item", k, true)
	return clone(it), err
}

// PutItem stores an item, replacing any other under its key. It is for tests and manual
// repairs: it bypasses the rules of appends and rollups.
func (t *Table) PutItem(ctx context.Context, it item.Item) error {
	image, err := normalize(it)
	if err != nil {
		return fmt.Errorf("put item: %w", err)
	}
	return t.writeUnconditionally(ctx, "put item", action{key: it.Key(), change: replaceWith(image)})
}

// UpdateItem sets attributes under the key of set and keeps all others, as enrichment
// does. It creates the item if there is none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	changes, err := normalize(set)
	if err != nil {
		return fmt.Errorf("update item: %w", err)
	}
	return t.writeUnconditionally(ctx, "update item", action{key: set.Key(), change: func(old item.Item) item.Item { return update(old, changes) }})
}

// DeleteItem removes an item. It is no error if there is none.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	return t.writeUnconditionally(ctx, "delete item", action{key: k, change: replaceWith(nil)})
}

func (t *Table) writeUnconditionally(ctx context.Context, operation string, a action) error {
	a.condition = func(item.Item) bool { return true }
	_, _, err := t.writeOne(ctx, operation, a)
	return err
}

// Scan reads one page of the whole table, in order of the keys, after a position; the zero
// Key is the start. The returned position is the zero Key after the last page.
func (t *Table) Scan(ctx context.Context, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	if err := checkContext(ctx, "scan"); err != nil {
		return nil, keys.Key{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := 0
	first, _ := slices.BinarySearch(t.order, after.PK)
	for _, pk := range t.order[first:] {
		p, from := t.partitions[pk], 0
		if pk == after.PK {
			from, _ = slices.BinarySearch(p.sorted, after.SK+"\x00")
		}
		for _, sk := range p.sorted[from:] {
			it := p.items[sk]
			page, size = append(page, clone(it)), size+it.Size()
			if size >= pageBytes {
				return page, it.Key(), nil
			}
		}
	}
	return page, keys.Key{}, nil
}

// Partition reads one page of all items under a partition key, in the order of the sort
// keys, after a position; the zero Key is the start. The returned position is the zero Key
// after the last page.
func (t *Table) Partition(ctx context.Context, pk string, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	if err := checkContext(ctx, "query"); err != nil {
		return nil, keys.Key{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p, size := t.partitions[pk], 0
	if p == nil {
		return nil, keys.Key{}, nil
	}
	from, there := slices.BinarySearch(p.sorted, after.SK)
	if there {
		from++
	}
	for _, sk := range p.sorted[from:] {
		it := p.items[sk]
		page, size = append(page, clone(it)), size+it.Size()
		if size >= pageBytes {
			return page, it.Key(), nil
		}
	}
	return page, keys.Key{}, nil
}

// normalize returns a copy of it with numbers in their shortest form, as stored.
func normalize(it item.Item) (item.Item, error) {
	out := clone(it)
	for name, v := range out {
		switch v.Type {
		case item.N:
			d, err := model.ParseDecimal(v.S)
			if err != nil {
				return nil, fmt.Errorf("%w: attribute %q: %w", errMalformed, name, err)
			}
			v.S = d.String()
			out[name] = v
		case item.Other:
			return nil, fmt.Errorf("%w: attribute %q has a type that Tidemark does not store", errMalformed, name)
		}
	}
	return out, nil
}

// clone returns a copy that shares no memory with it.
func clone(it item.Item) item.Item {
	if it == nil {
		return nil
	}
	out := make(item.Item, len(it))
	for name, v := range it {
		v.B = slices.Clone(v.B)
		out[name] = v
	}
	return out
}
