package aggregate

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// prefetchedRows are rows that were read in batches before their recomputations began;
// nil where there is no row. Each serves the first attempt of its recomputation: the
// rule only requires that the row is read before its children.
type prefetchedRows map[rollup.Key]*rollup.Row

// prefetch reads the rows of the buckets in batches, if the store can. Each
// recomputation reads for itself what is not returned here.
func (a *Aggregator) prefetch(ctx context.Context, buckets []*dirtyBucket, limits Limits, all *results) prefetchedRows {
	store, ok := a.Store.(RowReader)
	if !ok || len(buckets) < 2 {
		return nil
	}
	var mu sync.Mutex // guards rows
	rows := prefetchedRows{}
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for batch := range slices.Chunk(buckets, MaxBatchRows) {
		group.Go(func() error {
			read, err := store.ReadRows(ctx, keysOf(batch))
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
	return rows
}

func keysOf(buckets []*dirtyBucket) []rollup.Key {
	return lists.Map(buckets, func(b *dirtyBucket) rollup.Key { return b.key })
}

// firstRow is step 1 of an attempt: the first attempt takes the prefetched row, each
// later one reads it.
func (r *recomputation) firstRow(ctx context.Context) (*rollup.Row, error) {
	row, known := r.prefetched[r.bucket.key]
	if r.prefetched = nil; !known {
		return r.readRow(ctx, r.bucket.key)
	}
	if row == nil {
		return nil, nil
	}
	return row, item.RejectNewer(row)
}
