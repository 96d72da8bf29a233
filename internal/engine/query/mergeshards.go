package query

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// shardMerger reads one page of each shard and merges the pages in order. A series that
// is not distributed has one shard.
//
// Its position is the order of the last item that it returned or hid. Every shard
// continues strictly after that order, wherever its own page ended.
type shardMerger[T any] struct {
	shards int
	// fetch sends one request: the page of a shard after a position of the store ("" is the
	// start), and the position after it ("" is the end).
	fetch    func(ctx context.Context, shard int, after string) (items []T, next string, err error)
	position func(shard int, past model.Order) string // position in the store
	order    func(*T) model.Order
	newest   bool
	visible  func(*T) bool // false for items that readers do not see
}

// shardPage holds the items not yet merged of the page just read from one shard.
type shardPage[T any] struct {
	items []T
	more  bool // the shard has further pages
}

// mergePage returns the groups of items after an order, at most limit of them, and the
// order to continue from; nil after the last. A group holds the items of equal order, at
// most one from each shard. It sends one request to each shard, so a page may have fewer
// groups than limit, even none, before the end: hidden items use up the request.
func (m *shardMerger[T]) mergePage(ctx context.Context, past *model.Order,
	limit int) ([][]T, *model.Order, error) {
	pages, err := m.fetchAll(ctx, past)
	if err != nil {
		return nil, nil, err
	}
	var groups [][]T
	for limit == 0 || len(groups) < limit {
		next, ok := m.smallestOrder(pages)
		if !ok {
			break
		}
		past = &next
		if group := m.takeGroup(pages, next); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	if !anyLeft(pages) {
		return groups, nil, nil
	}
	return groups, past, nil
}

func (m *shardMerger[T]) fetchAll(ctx context.Context, past *model.Order) ([]shardPage[T], error) {
	pages := make([]shardPage[T], m.shards)
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i := range pages {
		reads.Go(func() (err error) {
			pages[i], err = m.fetchPast(ctx, i, past)
			return err
		})
	}
	return pages, reads.Wait()
}

// fetchPast reads the page of one shard after an order; nil is the start. A page whose items are all unknown
// to the store has no order to continue from, so fetchPast reads on until it has an item.
func (m *shardMerger[T]) fetchPast(ctx context.Context, shard int, past *model.Order) (shardPage[T], error) {
	after := ""
	if past != nil {
		after = m.position(shard, *past)
	}
	for {
		items, next, err := m.fetch(ctx, shard, after)
		if err != nil || len(items) > 0 || next == "" {
			return shardPage[T]{items: items, more: next != ""}, err
		}
		after = next
	}
}

// smallestOrder returns the next order over all shards. ok is false if there is none, or
// if the unread page of a shard may contain an earlier one.
func (m *shardMerger[T]) smallestOrder(pages []shardPage[T]) (smallest model.Order, ok bool) {
	for i := range pages {
		if len(pages[i].items) == 0 {
			if pages[i].more {
				return model.Order{}, false
			}
			continue
		}
		if order := m.order(&pages[i].items[0]); !ok || m.precedes(order, smallest) {
			smallest, ok = order, true
		}
	}
	return smallest, ok
}

// precedes reports whether a comes before b in the requested direction.
func (m *shardMerger[T]) precedes(a, b model.Order) bool {
	if m.newest {
		return b.Before(a)
	}
	return a.Before(b)
}

// takeGroup removes the items of an order from all shards and returns the visible ones.
func (m *shardMerger[T]) takeGroup(pages []shardPage[T], order model.Order) (group []T) {
	for i := range pages {
		p := &pages[i]
		if len(p.items) == 0 || m.order(&p.items[0]) != order {
			continue
		}
		if m.visible(&p.items[0]) {
			group = append(group, p.items[0])
		}
		p.items = p.items[1:]
	}
	return group
}

func anyLeft[T any](pages []shardPage[T]) bool {
	return slices.ContainsFunc(pages, func(p shardPage[T]) bool { return p.more || len(p.items) > 0 })
}
