package hidevalue

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// shares counts the shares of the buckets of a page that have the value and are not sealed: their events are
// stored and have it, or were deleted and the deletion is not processed yet. A bucket without a row has not
// closed, so that its shares are not sealed.
func (r *run) shares(ctx context.Context, s step, after string) (next string, err error) {
	page, err := r.Table.Rows(ctx, s.unit, s.whole(after))
	if err != nil {
		return after, fmt.Errorf("read rollups of %s: %w", s.series, err)
	}
	for i := range page.Rows {
		err := r.eachShare(ctx, page.Rows[i].Key, func(share *rollup.Row) error {
			if !item.SealedRow(share, r.Now()) && r.has(share, s.dimensions) {
				r.report.Shares++
			}
			return nil
		})
		if err != nil {
			return after, err
		}
	}
	return page.Next, nil
}

// hideShares removes the value from the shares of a bucket.
func (r *run) hideShares(ctx context.Context, bucket rollup.Key, s step) error {
	return r.eachShare(ctx, bucket, func(share *rollup.Row) error {
		_, err := r.row(ctx, share, s.dimensions)
		return err
	})
}

func (r *run) eachShare(ctx context.Context, bucket rollup.Key, visit func(*rollup.Row) error) error {
	for after, more := "", true; more; more = after != "" {
		page, err := r.Table.Shares(ctx, bucket, after)
		if err != nil {
			return fmt.Errorf("read shares of %s at %s: %w", bucket.Series, bucket.Start, err)
		}
		for i := range page.Rows {
			if err := visit(&page.Rows[i]); err != nil {
				return err
			}
		}
		after = page.Next
	}
	return nil
}
