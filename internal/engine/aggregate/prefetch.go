package aggregate

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// prefetched is what was read before recomputations began. It serves the first attempt of each:
// the rule only requires that a row is read before its children.
type prefetched struct {
	rows map[rollup.Key]*rollup.Row // nil where there is no row

	mu      sync.Mutex                 // guards parents
	parents map[rollup.Key]*rollup.Row // coarser rows, read after rows
}

// prefetch reads the rows of the buckets in batches, if the store can. Each
// recomputation reads for itself what is not returned here.
func (a *Aggregator) prefetch(ctx context.Context, buckets []*dirtyBucket, limits Limits,
	all *results) *prefetched {
	store, ok := a.Store.(RowReader)
	if !ok || len(buckets) < 2 {
		return nil
	}
	var mu sync.Mutex // guards rows
	rows := map[rollup.Key]*rollup.Row{}
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for batch := range slices.Chunk(buckets, itemop.MaxBatchReads) {
		group.Go(func() error {
			read, err := store.ReadRows(ctx, lists.Map(batch, func(b *dirtyBucket) rollup.Key { return b.key }))
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(rows, read)
			}
			all.count(Counts{Reads: 1})
			return nil
		})
	}
	_ = group.Wait() // none fails
	return &prefetched{rows: rows, parents: map[rollup.Key]*rollup.Row{}}
}

// firstRow is step 1 of an attempt: the first attempt takes the prefetched row, each later one reads it.
func (r *recomputation) firstRow(ctx context.Context) (*rollup.Row, error) {
	if r.attempts++; r.attempts == 1 && r.prefetched != nil {
		if row, known := r.prefetched.rows[r.bucket.key]; known && row != nil {
			return row, item.RejectNewer(row)
		} else if known {
			return nil, nil
		}
	}
	r.prefetched, r.fold = nil, nil
	return r.readRow(ctx, r.bucket.key)
}

// parentRow returns the row of a coarser bucket, which is read after the bucket's own row. First
// attempts share one reading.
func (r *recomputation) parentRow(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	p := r.prefetched
	if p == nil {
		return r.readRow(ctx, key)
	}
	p.mu.Lock()
	row, known := p.parents[key]
	p.mu.Unlock()
	if known {
		return row, nil
	}
	row, err := r.readRow(ctx, key)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.parents[key] = row
	}
	return row, err
}
