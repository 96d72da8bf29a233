package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// foldChildren is step 2: every child of the bucket, strongly consistent, expired or
// not, page by page. The finest tier is folded from events, from the resume point of
// the row on where the changes allow it; the others from the rows of the tier below.
func (l *look) foldChildren(ctx context.Context, row *rollup.Row) (*rollup.Fold, error) {
	if rung := below(l.kind.Ladder, l.rung, l.bucket); rung >= 0 {
		fold := rollup.NewFold(l.kind.Spec())
		return fold, l.readAll(ctx, l.bucket.Start, fold, l.rowPage(l.kind.Ladder.Tiers[rung].Unit, fold))
	}
	s := l.span(row)
	err := l.readAll(ctx, s.from, s.fold, l.eventPage(s.add))
	s.end()
	return s.fold, err
}

// readPage reads one page of a range into a fold, and answers where the next begins.
type readPage func(ctx context.Context, r model.Range) (next string, err error)

// readAll reads the pages of the bucket from a time on.
func (l *look) readAll(ctx context.Context, from model.Time, fold *rollup.Fold, read readPage) error {
	r := model.Range{Series: l.key.Series, From: from, To: l.bucket.End, Consistent: true}
	for {
		l.Reads++
		next, err := read(ctx, r)
		if err != nil {
			return err
		}
		if fold.Children > l.limits.Children {
			l.crowd(fold)
			return nil
		}
		if next == "" {
			return nil
		}
		r.After = next
	}
}

func (l *look) eventPage(add func(*model.Event)) readPage {
	return func(ctx context.Context, r model.Range) (next string, err error) {
		if store, ok := l.Store.(EventReader); ok {
			if next, err = store.EachEvent(ctx, r, add); err != nil {
				return "", passes("read events", err)
			}
			return next, nil
		}
		page, err := l.Store.Events(ctx, r)
		if err != nil {
			return "", passes("read events", err)
		}
		for i := range page.Events {
			add(&page.Events[i])
		}
		return page.Next, nil
	}
}

func (l *look) rowPage(unit tier.Unit, fold *rollup.Fold) readPage {
	return func(ctx context.Context, r model.Range) (string, error) {
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
