package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// pageBytes is where one request stops reading.
const pageBytes = 1 << 20

// Row reads one row; nil where there is none.
func (t *Table) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	it, err := t.read(ctx, "read rollup", keys.Row(key), true)
	if err != nil || it == nil {
		return nil, err
	}
	row, _ := item.RowOrBare(it) // the key is the one that was asked for
	return &row, nil
}

// Current reads a series' current; nil where there is none. Every read is
// consistent; one that does not ask for it costs half.
func (t *Table) Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error) {
	it, err := t.read(ctx, "read current", keys.Current(series), consistent)
	if err != nil || it == nil {
		return nil, err
	}
	current, err := item.Current(it)
	if err != nil {
		return nil, err
	}
	return &current, nil
}

// Events reads one page of a series' events. An item whose key is not an event's
// lies in no bucket and is left out.
func (t *Table) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	lo, hi := keys.EventRange(r.Series, r.From, r.To)
	items, next, err := t.query(ctx, "read events", &r, lo, hi)
	if err != nil {
		return model.EventPage{}, err
	}
	page := model.EventPage{Events: make([]model.Event, 0, len(items)), Next: next}
	for _, it := range items {
		if event, err := item.Event(it); err == nil {
			page.Events = append(page.Events, event)
		}
	}
	return page, nil
}

// Rows reads one page of a series' rows. An item whose key is not a row's is left
// out.
func (t *Table) Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error) {
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
	if err := alive(ctx, operation); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	it := t.get(k)
	took(ctx, min(len(it), 1), it.Size(), consistent)
	return it, nil
}

// query reads one page of the sort keys from lo to hi, both included. As on the
// server, a page that ends at its limit has a next one, which may be empty.
func (t *Table) query(ctx context.Context, operation string, r *model.Range, lo, hi string) (page []item.Item, next string, _ error) {
	if err := alive(ctx, operation); err != nil {
		return nil, "", err
	}
	if r.After != "" && (r.After < lo || r.After > hi) {
		return nil, "", fmt.Errorf("%s: %w: position %.120q lies outside the range: take Next of the page before, asked with the same range", operation, ErrMalformed, r.After)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := 0
	defer func() { took(ctx, len(page), size, r.Consistent) }()
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

// between are the sort keys that are left of the range beyond r.After, in the order
// asked for.
func (p *partition) between(lo, hi string, r *model.Range) []string {
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
