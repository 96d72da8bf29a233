package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// foldChildren is step 2: every child of the bucket, strongly consistent, expired or
// not, page by page. The finest tier is folded from events, the others from the rows
// of the tier below.
func (l *look) foldChildren(ctx context.Context) (*rollup.Fold, error) {
	fold := rollup.NewFold(l.kind.Spec())
	readPage := l.eventPage
	if rung := below(l.kind.Ladder, l.rung, l.bucket); rung >= 0 {
		readPage = l.rowPage(l.kind.Ladder.Tiers[rung].Unit)
	}
	r := model.Range{Series: l.key.Series, From: l.bucket.Start, To: l.bucket.End, Consistent: true}
	for {
		l.Reads++
		next, err := readPage(ctx, r, fold)
		if err != nil {
			return nil, err
		}
		if fold.Children > l.limits.Children {
			l.crowd(fold)
			return fold, nil
		}
		if next == "" {
			return fold, nil
		}
		r.After = next
	}
}

func (l *look) eventPage(ctx context.Context, r model.Range, fold *rollup.Fold) (next string, err error) {
	if store, ok := l.Store.(EventReader); ok {
		if next, err = store.EachEvent(ctx, r, fold.AddEvent); err != nil {
			return "", passes("read events", err)
		}
		return next, nil
	}
	page, err := l.Store.Events(ctx, r)
	if err != nil {
		return "", passes("read events", err)
	}
	for i := range page.Events {
		fold.AddEvent(&page.Events[i])
	}
	return page.Next, nil
}

func (l *look) rowPage(unit tier.Unit) func(context.Context, model.Range, *rollup.Fold) (string, error) {
	return func(ctx context.Context, r model.Range, fold *rollup.Fold) (string, error) {
		page, err := l.Store.Rows(ctx, unit, r)
		if err != nil {
			return "", passes("read rows", err)
		}
		for i := range page.Rows {
			if err := addRow(fold, &page.Rows[i]); err != nil {
				return "", err
			}
		}
		return page.Next, nil
	}
}

// addRow folds a finer row in. One that is damaged counts as unreadable, as an event
// would: it makes the fold inexact, and never blocks the bucket.
func addRow(fold *rollup.Fold, row *rollup.Row) error {
	if err := refuseNewer(row); err != nil {
		return err
	}
	if !damaged(row) {
		fold.AddRow(row)
		return nil
	}
	fold.Children++
	fold.Unreadable++
	fold.Exact = false
	if row.ExpiresAt != 0 {
		fold.ChildrenUntil = min(fold.ChildrenUntil, row.ExpiresAt)
	}
	return nil
}

// damaged reports whether a stored row could not be decoded: then it has no summary.
func damaged(row *rollup.Row) bool { return row.Summary == nil && !row.Empty }

// crowd ends the fold of a bucket with too many children to read at every look: what
// was read is kept, said to be inexact, and sealed so that it is not read again.
func (l *look) crowd(fold *rollup.Fold) {
	fold.Exact = false
	fold.ChildrenUntil = 0
	l.note("over %d children in one bucket: sealed, exact: false; give the kind a finer tier, as minute", l.limits.Children)
}
