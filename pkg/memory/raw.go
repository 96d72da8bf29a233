package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
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
	_, err := t.writeOne(ctx, "put item", &table.Action{Key: it.Key(), Put: it})
	return err
}

// UpdateItem sets attributes under the key of set and keeps all others, as enrichment
// does. It creates the item if there is none.
func (t *Table) UpdateItem(ctx context.Context, set item.Item) error {
	_, err := t.writeOne(ctx, "update item", &table.Action{Key: set.Key(), Set: set})
	return err
}

// DeleteItem removes an item. It is no error if there is none.
func (t *Table) DeleteItem(ctx context.Context, k keys.Key) error {
	_, err := t.writeOne(ctx, "delete item", &table.Action{Key: k, Delete: true})
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
