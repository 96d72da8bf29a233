package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// GetItem reads a stored item; nil where there is none.
func (t *Table) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	it, err := t.read(ctx, "get item", k, true)
	return clone(it), err
}

// PutItem stores an item whatever was there. It is for tests and for repairs by
// hand: the rules of append and of rollups are not looked at.
func (t *Table) PutItem(ctx context.Context, it item.Item) error {
	image, err := normal(it)
	if err != nil {
		return fmt.Errorf("put item: %w", err)
	}
	return t.raw(ctx, "put item", action{key: it.Key(), become: whole(image)})
}

// UpdateItem sets the attributes of set under its key and leaves all others as they
// are, as those who enrich items do; the item is made where there was none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	changes, err := normal(set)
	if err != nil {
		return fmt.Errorf("update item: %w", err)
	}
	return t.raw(ctx, "update item", action{key: set.Key(), become: func(old item.Item) item.Item { return update(old, changes) }})
}

// DeleteItem removes an item whatever it is; that there was none is no error.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	return t.raw(ctx, "delete item", action{key: k, become: whole(nil)})
}

func (t *Table) raw(ctx context.Context, operation string, a action) error {
	a.holds = func(item.Item) bool { return true }
	_, _, err := t.one(ctx, operation, a)
	return err
}

// Scan reads one page of the whole table, in order of the keys, from beyond a
// position on (the zero Key: from the start). The next position is the zero Key
// after the last page.
func (t *Table) Scan(ctx context.Context, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	if err := alive(ctx, "scan"); err != nil {
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

// Partition reads one page of everything under a partition key, in the order of the
// sort keys, from beyond a position on (the zero Key: from the start). The next
// position is the zero Key after the last page.
func (t *Table) Partition(ctx context.Context, pk string, after keys.Key) (page []item.Item, next keys.Key, _ error) {
	if err := alive(ctx, "query"); err != nil {
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

// normal is a copy of it as the table keeps it: numbers in their shortest form.
func normal(it item.Item) (item.Item, error) {
	out := clone(it)
	for name, v := range out {
		switch v.Type {
		case item.N:
			d, err := model.ParseDecimal(v.S)
			if err != nil {
				return nil, fmt.Errorf("%w: attribute %q: %w", ErrMalformed, name, err)
			}
			v.S = d.String()
			out[name] = v
		case item.Other:
			return nil, fmt.Errorf("%w: attribute %q is a map, a list or a set, which items of ours never hold", ErrMalformed, name)
		}
	}
	return out, nil
}

// clone shares nothing with it.
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
