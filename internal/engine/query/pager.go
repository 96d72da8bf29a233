package query

import (
	"context"
	"fmt"
	"iter"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// pager serves one validated request: as single pages with cursors, or as an iterator
// over all pages. It turns stored items of type T into results of type R.
type pager[T, R any] struct {
	description string // of the request, for errors
	cursors     cursors
	shards      shardMerger[T]
	// build makes a result of the items of equal order, at most one from each shard.
	build func(group []T) R
	// check, unless it is nil, is called with each page: the results between two orders, where nil is an end
	// of the request. It returns those that readers see.
	check func(ctx context.Context, past, next *model.Order, page []R) ([]R, error)
	// complete, unless it is nil, is called after it with what readers see of each page.
	complete func(ctx context.Context, page []R) error
}

// page returns the page after a cursor, and the cursor after that page.
func (p *pager[T, R]) page(ctx context.Context, cursor string, limit int) ([]R, string, error) {
	results, next, err := p.pageAfter(ctx, cursor, limit)
	if err != nil {
		return nil, "", p.wrap(err)
	}
	return results, next, nil
}

func (p *pager[T, R]) pageAfter(ctx context.Context, cursor string, limit int) ([]R, string, error) {
	past, err := p.cursors.open(cursor)
	if err != nil {
		return nil, "", err
	}
	results, next, err := p.results(ctx, past, limit)
	if err != nil || next == nil {
		return results, "", err
	}
	sealed, err := p.cursors.seal(*next)
	return results, sealed, err
}

// all returns an iterator that reads page after page and yields at most limit results; 0
// means all. An error comes last, with no result.
func (p *pager[T, R]) all(ctx context.Context, cursor string, limit int) iter.Seq2[R, error] {
	start, err := p.cursors.open(cursor)
	if err != nil {
		return paging.Fail[R](p.wrap(err))
	}
	return func(yield func(R, error) bool) {
		left := limit
		read := func(past *model.Order) ([]R, *model.Order, error) {
			page, next, err := p.results(ctx, past, left)
			if err != nil {
				return nil, nil, p.wrap(err)
			}
			if limit == 0 {
				return page, next, nil
			}
			if left -= len(page); left == 0 {
				next = nil
			}
			return page, next, nil
		}
		paging.ItemsAfter(start, read)(yield)
	}
}

// results returns one page of results, and the order to continue from.
func (p *pager[T, R]) results(ctx context.Context, past *model.Order, limit int) ([]R, *model.Order, error) {
	groups, next, err := p.shards.mergePage(ctx, past, limit)
	if err != nil {
		return nil, nil, err
	}
	results := lists.Map(groups, p.build)
	if p.check != nil {
		if results, err = p.check(ctx, past, next, results); err != nil {
			return nil, nil, err
		}
	}
	if p.complete != nil {
		err = p.complete(ctx, results)
	}
	return results, next, err
}

func (p *pager[T, R]) wrap(err error) error { return fmt.Errorf("read %s: %w", p.description, err) }
