package query

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// shardReader reads one page of every shard and puts them together in order. A
// series that is not spread is the case of one shard.
//
// A reading stands at the order it last handed out or hid; every shard goes on
// strictly past it, whatever page of its own it is in.
type shardReader[T any] struct {
	shards int
	// fetch is one request: the page of a shard after a position of the store, "" being
	// the start, and the position after it, "" at the end.
	fetch    func(ctx context.Context, shard int, after string) (items []T, next string, err error)
	position func(shard int, past model.Order) string // of the store
	order    func(*T) model.Order
	newest   bool
	shows    func(*T) bool // false for what readers do not see
}

// shardPage is what is left of the page just read of one shard.
type shardPage[T any] struct {
	items []T
	more  bool // the shard goes on behind them
}

// page reads on past an order: groups of items of equal order (one of each shard at
// most), at most limit of them, and the order to go on from; nil at the end. A page
// may hold fewer groups than limit, even none, before the end: what expired is read
// all the same, and one page is one request a shard.
func (r *shardReader[T]) page(ctx context.Context, past *model.Order, limit int) ([][]T, *model.Order, error) {
	pages, err := r.fetchAll(ctx, past)
	if err != nil {
		return nil, nil, err
	}
	var groups [][]T
	for limit == 0 || len(groups) < limit {
		next, ok := r.least(pages)
		if !ok {
			break
		}
		past = &next
		if group := r.take(pages, next); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	if !unfinished(pages) {
		return groups, nil, nil
	}
	return groups, past, nil
}

func (r *shardReader[T]) fetchAll(ctx context.Context, past *model.Order) ([]shardPage[T], error) {
	pages := make([]shardPage[T], r.shards)
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i := range pages {
		reads.Go(func() (err error) {
			pages[i], err = r.fetchPast(ctx, i, past)
			return err
		})
	}
	return pages, reads.Wait()
}

// fetchPast is the page of one shard past an order, nil being the start. A page of
// nothing that a store can name, such as items somebody else put among ours, gives no
// order to go on from, so the next one is read at once.
func (r *shardReader[T]) fetchPast(ctx context.Context, shard int, past *model.Order) (shardPage[T], error) {
	after := ""
	if past != nil {
		after = r.position(shard, *past)
	}
	for {
		items, next, err := r.fetch(ctx, shard, after)
		if err != nil || len(items) > 0 || next == "" {
			return shardPage[T]{items: items, more: next != ""}, err
		}
		after = next
	}
}

// least is the next order over all shards; ok is false when there is none, or when
// a shard has more to read that might come before it.
func (r *shardReader[T]) least(pages []shardPage[T]) (least model.Order, ok bool) {
	for i := range pages {
		if len(pages[i].items) == 0 {
			if pages[i].more {
				return model.Order{}, false
			}
			continue
		}
		if order := r.order(&pages[i].items[0]); !ok || r.precedes(order, least) {
			least, ok = order, true
		}
	}
	return least, ok
}

// precedes reports whether a comes before b in the direction of the reading.
func (r *shardReader[T]) precedes(a, b model.Order) bool {
	if r.newest {
		return b.Before(a)
	}
	return a.Before(b)
}

// take removes what stands at order from every shard and keeps what readers see.
func (r *shardReader[T]) take(pages []shardPage[T], order model.Order) (group []T) {
	for i := range pages {
		p := &pages[i]
		if len(p.items) == 0 || r.order(&p.items[0]) != order {
			continue
		}
		if r.shows(&p.items[0]) {
			group = append(group, p.items[0])
		}
		p.items = p.items[1:]
	}
	return group
}

func unfinished[T any](pages []shardPage[T]) bool {
	for _, p := range pages {
		if p.more || len(p.items) > 0 {
			return true
		}
	}
	return false
}
