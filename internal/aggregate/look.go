package aggregate

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// look is one bucket looked at again. It belongs to one goroutine.
type look struct {
	*Aggregator
	*touch
	limits Limits
	ahead  rowsAhead

	Counts
	notes    []Note     // of the last pass
	point    []byte     // a resume point for the next look; nil where the last pass had none to leave
	saves    float64    // read units that it saves
	newest   model.Time // arrival of the newest event folded
	replaced bool       // a row that stood was written over with another fold
}

// pass is the rule, once through. The order of its three steps is what makes it
// right: the row's rev is read before the children, and the write is on condition of
// it, so a row that stands was folded from children read after it became the row.
// It answers Written also where nothing had to be written.
func (l *look) pass(ctx context.Context) (model.Answer, error) {
	l.notes, l.point = nil, nil
	row, err := l.firstRow(ctx)
	if err != nil {
		return 0, err
	}
	replaced := row != nil && damaged(row) && l.terms.ReplaceDamaged
	if stands(row) && sealed(row, l.Now()) && !replaced {
		return l.meetSealed(ctx, row)
	}
	if !stands(row) {
		lived, err := l.mayHaveLived(ctx)
		if err != nil {
			return 0, err
		}
		if lived { // the coarser tiers are looked at next: the one that stands is marked
			l.NotMade++
			return model.Written, nil
		}
	}
	fold, err := l.foldChildren(ctx, row)
	if err != nil {
		return 0, err
	}
	if l.terms.Manner == MarkEvery || replaced && !l.allThere() {
		fold.Exact, fold.ChildrenUntil = false, 0
	}
	return l.keep(ctx, row, fold)
}

// stands reports whether a row counts: an empty one is taken for absent.
func stands(row *rollup.Row) bool { return row != nil && !row.Empty }

// readRow is step 1, strongly consistent.
func (l *look) readRow(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	l.Reads++
	row, err := l.Store.Row(ctx, key)
	if err != nil {
		return nil, passes("read row", err)
	}
	if row != nil {
		return row, refuseNewer(row)
	}
	return nil, nil
}

// refuseNewer fails on a row that a newer version wrote: it is neither folded nor
// rewritten. The change comes again until code that knows the row takes it, or its
// batch is given up and can be redriven by such code.
func refuseNewer(row *rollup.Row) error {
	if row.V > item.Version {
		return fmt.Errorf("%s row of %s has format %d, this program knows %d: %w", row.Key.Tier, row.Key.Start, row.V, item.Version, item.ErrNewer)
	}
	return nil
}

// keep is step 3: it writes what is stored of the fold, unless only inserts were made
// and the row holds that already. After anything else it always writes, since a skip
// leaves no trace for the lock: a look that read its children before a deletion could
// still land after this one.
func (l *look) keep(ctx context.Context, old *rollup.Row, fold *rollup.Fold) (model.Answer, error) {
	l.newest = max(l.newest, fold.NewestArrival)
	row, oversize := l.rowOf(fold)
	same := row.Empty != stands(old) && (row.Empty || old.Holds(&row.Fold))
	if same && (!l.force || l.terms.DryRun) {
		l.Unchanged++
		return model.Written, nil
	}
	if l.terms.DryRun {
		l.foundOther(old, fold)
		return model.Written, nil
	}
	answer, err := l.put(ctx, old, row)
	if err == nil && answer == model.Written {
		l.countWritten(old, &row.Fold, oversize)
		if !same {
			l.replaced = stands(old)
			l.foundOther(old, fold)
		}
	}
	return answer, err
}

// isEmpty reports whether a fold is that of a bucket without events. One that has no
// children, and says that it is not exact, is of a bucket whose events have expired
// unseen: its row stands, so that coarser rows fold what it says.
func isEmpty(fold *rollup.Fold) bool { return fold.Children == 0 && fold.Exact }

// rowOf is the row that keeps fold, whole or as far as it fits. No children make an
// empty row, never a delete: it changes the rev for looks under way, and goes a day
// later.
func (l *look) rowOf(fold *rollup.Fold) (row *rollup.Row, oversize bool) {
	now := l.Now()
	row = &rollup.Row{Key: l.key, Fold: *fold, V: item.Version, WrittenAt: now}
	if isEmpty(fold) {
		row.Empty = true
		row.ExpiresAt = now.Add(tier.Day24).Seconds()
		return row, false
	}
	row.ExpiresAt = l.kind.Ladder.Tiers[l.rung].ExpiresAt(l.bucket, now)
	size, oversize := Fit(row, l.kind.Spec())
	row.Resume = l.pointOf(row, size)
	return row, oversize
}

// put writes row with a fresh rev on condition that old still stands.
func (l *look) put(ctx context.Context, old, row *rollup.Row) (model.Answer, error) {
	var prev rollup.Rev
	if old != nil {
		prev = old.Rev
	}
	rev, err := l.newRev()
	if err != nil {
		return 0, err
	}
	row.Rev = rev
	l.Writes++
	answer, err := l.Store.PutRow(ctx, row, prev)
	if err != nil {
		return 0, fmt.Errorf("write row: %w", err)
	}
	l.countAnswer(answer)
	return answer, nil
}
