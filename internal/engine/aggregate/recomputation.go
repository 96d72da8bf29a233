package aggregate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// recomputation recomputes one bucket. It belongs to one goroutine.
type recomputation struct {
	agg        *Aggregator
	bucket     *dirtyBucket
	limits     Limits
	prefetched *prefetched  // used by the first attempt; may be nil
	fold       *rollup.Fold // of the children, read after the prefetched row; may be nil
	attempts   int
	shares     map[string]share        // of the groups that are known, by name, as read before the children
	groupFolds map[string]*rollup.Fold // of the children, by the name of their group
	member     model.Attrs             // of the profile at the start of the bucket

	counts   Counts
	notes    []Note     // of the last attempt
	newest   model.Time // arrival of the newest event folded
	replaced bool       // an existing row was overwritten with another fold
}

// errPanic marks the error of a recomputation that panicked.
var errPanic = errors.New("panic")

// run recomputes the bucket until its row holds every change. A panic fails this recomputation like an error:
// the function still responds to the batch, and a crash does not block the rest of the table stream.
func (r *recomputation) run(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("recompute %s: %w: %v\n%s", r.name(), errPanic, p, debug.Stack())
		}
	}()
	r.counts.Recomputed++
	err = r.agg.untilWritten(ctx, r.attempt)
	if err == nil && r.needsSecondPass() {
		err = r.agg.untilWritten(ctx, r.attempt)
	}
	if err == nil && r.foldsLatest() {
		for _, s := range r.bucket.kind.SourceSeries(r.bucket.key.Series) {
			err = errors.Join(err,
				r.agg.foldLatest(ctx, r.bucket.kind, s, nil, r.bucket.alwaysWrite || r.bucket.repair, &r.counts))
		}
	}
	if err != nil {
		return fmt.Errorf("recompute %s: %w", r.name(), err)
	}
	return nil
}

// needsSecondPass reports whether the bucket must be recomputed again. The table stream delivers the changes
// of one item in order: when an event is deleted and put again, the deletion is processed before the insert
// is delivered. So the recomputation of that insert may find the event in the row already, and leave the row
// unchanged. A repair is not in that order. It may read the children while the event is deleted, and
// overwrite the row after the insert was found in it. A second pass reads the children after that write, when
// the earlier row no longer exists.
func (r *recomputation) needsSecondPass() bool { return r.bucket.repair && r.replaced }

func (r *recomputation) name() string {
	return r.bucket.key.Series.String() + " " + r.bucket.interval.String()
}

// attempt is tryOnce until the share of every group of the children was read before them.
func (r *recomputation) attempt(ctx context.Context) (storage.WriteResult, error) {
	for {
		if result, err := r.tryOnce(ctx); !errors.Is(err, errNewGroup) {
			return result, err
		}
	}
}

// tryOnce is the rule, once. It is correct because of the order of its three steps: it
// reads the row, then the children, and writes the row only if its revision has not
// changed. So each stored row was folded from children read after the row before it
// was written. The clock is read after the row and again after the children, so that no
// child expired in between. tryOnce also returns Written where nothing had to be written. Shares of groups
// are read between the row and the children, and written and reported to their groups before the row.
func (r *recomputation) tryOnce(ctx context.Context) (storage.WriteResult, error) {
	r.notes = nil
	row, err := r.firstRow(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.readShares(ctx, row); err != nil {
		return 0, err
	}
	rowReadAt := r.agg.Now()
	replace := row != nil && item.DamagedRow(row) && r.bucket.options.ReplaceDamaged
	if exists(row) && item.SealedRow(row, rowReadAt) && !replace {
		return r.handleSealed(ctx, row)
	}
	if !exists(row) {
		if expired, err := r.mayHaveExpired(ctx, row); err != nil || expired {
			return r.doNotCreate(ctx, row, err)
		}
	}
	fold, err := r.foldChildren(ctx)
	if err == nil {
		err = r.checkPause(rowReadAt)
	}
	if err == nil {
		err = r.checkGroups()
	}
	if err == nil {
		err = r.ensureSettling(ctx, fold, rowReadAt)
	}
	if err != nil {
		return 0, err
	}
	missing := r.bucket.options.Mark == MarkAll || replace && !r.allChildrenExist()
	if !missing {
		if missing, err = r.mayMissChildren(ctx, row); err != nil {
			return 0, err
		}
	}
	if missing {
		fold.Exact, fold.ChildrenExpireAt = false, 0
	}
	result, err := r.writeShares(ctx, fold)
	if err == nil && result == storage.Written {
		result, err = r.notifyGroups(ctx)
	}
	if err != nil || result != storage.Written {
		return result, err
	}
	return r.writeIfChanged(ctx, row, fold)
}

// longestFold is how much time may pass between the reads of a row and of its last
// child. The row was not sealed when it was read, so no child of it expires sooner.
const longestFold = tier.SealMargin / 2

// checkPause returns a transient error where the process was suspended for so long, since
// the row was read, that a child may have expired before it was read.
func (r *recomputation) checkPause(rowReadAt model.Time) error {
	if pause := r.agg.Now().Sub(rowReadAt); pause > longestFold {
		return fmt.Errorf("%w: suspended for %s while the children were read", errTransient, pause)
	}
	return nil
}

// exists reports whether there is a row. An empty row counts as absent.
func exists(row *rollup.Row) bool { return row != nil && !row.Empty }

// readRow is step 1, a strongly consistent read.
func (r *recomputation) readRow(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	r.counts.Reads++
	row, err := r.agg.Store.Row(ctx, key)
	if err != nil {
		return nil, readError("read row", err)
	}
	if row != nil {
		return row, item.RejectNewer(row)
	}
	return nil, nil
}
