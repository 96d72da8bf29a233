package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sealed reports whether row is no longer to be folded: one of the children it was
// made of has expired or will within tier.SealMargin, so a fold could miss it. A row
// that was marked is sealed at any time, and so is one that cannot be decoded: how
// long its children live is not known.
func sealed(row *rollup.Row, now model.Time) bool {
	if damaged(row) {
		return true
	}
	if row.ChildrenUntil == rollup.NoExpiry {
		return false
	}
	return now.Seconds() >= row.ChildrenUntil-int64(tier.SealMargin.Seconds())
}

// meetSealed leaves a sealed row as it is, or marks it where a change is known that
// may not be in it.
func (l *look) meetSealed(ctx context.Context, row *rollup.Row) (model.Answer, error) {
	switch {
	case l.terms.Manner == SpareSealed:
		l.Sealed++
		return model.Written, nil
	case l.terms.DryRun && row.Exact && !damaged(row):
		l.Sealed++
		l.found(toMark)
		return model.Written, nil
	}
	return l.mark(ctx, row)
}

const toMark = "the row is sealed and said exact, and a change may be missing in it"

// mark says of a sealed row that a change came which is not in it. Its numbers stay
// as they are, for good. A row that says so already is left alone, and so is one that
// cannot be decoded, which nobody takes for exact.
func (l *look) mark(ctx context.Context, row *rollup.Row) (model.Answer, error) {
	if damaged(row) {
		l.note("the stored row cannot be decoded: delete it, then rebuild its bucket")
	}
	if damaged(row) || !row.Exact {
		l.Sealed++
		return model.Written, nil
	}
	marked := *row
	marked.Exact = false
	marked.ChildrenUntil = 0
	marked.Resume = nil
	marked.WrittenAt = l.Now()
	answer, err := l.put(ctx, row, &marked)
	if err == nil && answer == model.Written {
		l.Sealed++
		l.Marked++
		l.found(toMark)
	}
	return answer, err
}

// mayHaveLived reports whether the absent row may have lived and expired, so that
// making it anew from what is left would pass a part for the whole. The bucket must
// have ended longer ago than its tier ever kept rows, and the next coarser row must
// be sealed, or be absent and may itself have lived. An open coarser row proves that
// all its events are still there.
func (l *look) mayHaveLived(ctx context.Context) (bool, error) {
	ladder := l.kind.Ladder
	for rung, b := l.rung, l.bucket; ; {
		if !outlived(ladder.Tiers[rung], b, l.Now()) {
			return false, nil
		}
		up, over, ok := above(ladder, rung, b)
		if !ok {
			return true, nil
		}
		row, err := l.readRow(ctx, rowKey(l.key.Series, over))
		if err != nil {
			return false, err
		}
		if stands(row) {
			return sealed(row, l.Now()), nil
		}
		rung, b = up, over
	}
}

// outlived reports whether a row of b, written when b ended, has expired by the
// least retention its tier ever had, or will within tier.SealMargin.
func outlived(t tier.Tier, b tier.Bucket, now model.Time) bool {
	least := t.LeastRetention()
	return least != tier.Forever && b.End.Add(least) <= now.Add(tier.SealMargin)
}

// allThere reports whether no child that the bucket ever had can have expired yet,
// whatever its row says: by the least retention that an event or a finer row may have.
// A clock that is ahead, at the door, is taken up by the margin.
func (l *look) allThere() bool {
	least := tier.MinRaw
	if rung := below(l.kind.Ladder, l.rung, l.bucket); rung >= 0 {
		least = l.kind.Ladder.Tiers[rung].LeastRetention()
	}
	return least == tier.Forever || l.bucket.Start.Add(least) > l.Now().Add(2*tier.SealMargin)
}
