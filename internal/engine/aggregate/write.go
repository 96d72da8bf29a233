package aggregate

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// writeIfChanged is step 3. It skips the write only where all changes are inserts and the row holds the fold
// already. After any other change it always writes, because a skip does not change the revision: a
// recomputation that read its children before a deletion could still write after this one.
func (r *recomputation) writeIfChanged(ctx context.Context, old *rollup.Row,
	fold *rollup.Fold) (storage.WriteResult, error) {
	r.newest = max(r.newest, fold.NewestArrival)
	row, oversize := r.newRow(fold)
	same := row.Empty != exists(old) && (row.Empty || old.Covers(&row.Fold) && old.FieldsAt >= row.FieldsAt)
	if same && (!r.bucket.alwaysWrite || r.bucket.options.DryRun) {
		r.counts.Unchanged++
		return storage.Written, nil
	}
	if r.bucket.options.DryRun {
		r.reportFold(old, fold)
		return storage.Written, nil
	}
	result, err := r.put(ctx, old, row)
	if err == nil && result == storage.Written {
		r.bucket.emptied = row.Empty
		r.countRow(old, &row.Fold, oversize)
		if !same {
			r.replaced = exists(old)
			r.reportFold(old, fold)
		}
	}
	return result, err
}

// isEmpty reports whether a fold is of a bucket without events. A fold without
// children that is not exact belongs to a bucket whose events expired before they were
// folded: its row is not empty, so that coarser rows become inexact too.
func isEmpty(fold *rollup.Fold) bool { return fold.Children == 0 && fold.Exact }

// newRow returns the row that stores fold, or as much of it as fits. Without children it is an empty row and
// not a deletion: it changes the revision for concurrent recomputations, and expires a day later.
func (r *recomputation) newRow(fold *rollup.Fold) (row *rollup.Row, oversize bool) {
	now := r.agg.Now()
	row = &rollup.Row{Key: r.bucket.key, Fold: *fold, V: item.Version, WrittenAt: now}
	if isEmpty(fold) {
		row.Empty = true
		row.ExpiresAt = now.Add(tier.Day24).Seconds()
		return row, false
	}
	row.ExpiresAt = r.bucket.tier().ExpiresAt(r.bucket.interval, now)
	return row, Fit(row, r.bucket.kind.Spec())
}

// throttledAttempts is how often a throttled write is sent, before the row and its children are read again.
const throttledAttempts = 4

// put writes row with a new revision, on condition that old is still stored. A throttled write was not
// carried out, and is repeated unchanged: reading the bucket again would add to the load.
func (r *recomputation) put(ctx context.Context, old, row *rollup.Row) (storage.WriteResult, error) {
	var prev rollup.Rev
	if old != nil {
		prev = old.Rev
	}
	rev, err := r.agg.newRev()
	if err != nil {
		return 0, err
	}
	row.Rev = rev
	for attempt := 1; ; attempt++ {
		r.counts.Writes++
		result, err := r.agg.Store.PutRow(ctx, row, prev)
		if err != nil {
			return 0, fmt.Errorf("write row: %w", err)
		}
		r.counts.countResult(result)
		if result != storage.Throttled || attempt == throttledAttempts ||
			r.agg.retrier().Pause(ctx, attempt) != nil {
			return result, nil
		}
	}
}

// newRev makes the nonce of one write.
func (a *Aggregator) newRev() (rollup.Rev, error) {
	var rev rollup.Rev
	if _, err := (lockedRand{a}).Read(rev[:]); err != nil {
		return rev, fmt.Errorf("make a revision: %w", err)
	}
	if rev == (rollup.Rev{}) {
		return rev, fmt.Errorf("make a revision: the random source returned zeros only")
	}
	return rev, nil
}

// Fit reduces row to what fits into rollup.MaxRowBytes, and returns true if it was larger. It removes what
// rollup.Reductions remove, in their order, and the whole summary if the declared sums alone do not fit. Both
// the writer of a row and the recount that it is compared with use Fit, so that an oversize row is not
// rewritten each time.
func Fit(row *rollup.Row, spec *rollup.Spec) (oversize bool) {
	if fits(row) {
		return false
	}
	for _, reduce := range rollup.Reductions {
		for small, ok := reduce(&row.Fold); ok; small, ok = reduce(&row.Fold) {
			if row.Fold = *small; fits(row) {
				return true
			}
		}
	}
	row.Fold = *row.WithoutSummary(spec)
	return true
}

func fits(row *rollup.Row) bool {
	_, err := item.FromRow(row)
	return !errors.Is(err, item.ErrRowTooLarge)
}
