package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// foldChildren is step 2: it reads every child of the bucket, expired or not, strongly
// consistent and page by page. The finest tier is folded from events, or from the sessions of
// events; each other tier from the rows of the tier below.
func (r *recomputation) foldChildren(ctx context.Context) (*rollup.Fold, error) {
	b := r.bucket
	if r.fold != nil {
		return r.fold, nil
	}
	fold := rollup.NewFold(b.kind.Spec())
	switch level := b.kind.Retention.ChildLevel(b.level, b.interval); {
	case level >= 0:
		err := r.readAll(ctx, fold, b.key.Series, r.rowPage(b.kind.Retention.Tiers[level].Unit, fold))
		fold.Continuation = fold.Continuation.StartAt(b.interval.Start)
		return fold, err
	case b.foldsSessions():
		return r.foldSessions(ctx)
	case b.foldsShares():
		return fold, r.readAll(ctx, fold, b.key.Series, r.sharePage(fold))
	}
	if err := r.readMember(ctx); err != nil {
		return nil, err
	}
	add, groups := r.addToGroups(fold)
	for _, source := range b.kind.SourceSeries(b.key.Series) {
		if err := r.readAll(ctx, fold, source, r.agg.eventPage(add)); err != nil {
			return fold, err
		}
		if r.overfull(fold) {
			break
		}
	}
	r.groupFolds = byName(groups)
	fold.Groups = groupsOfRow(r.groupFolds, groups)
	return fold, nil
}

// readPage reads one page of a range into a fold and returns where the next one begins; "" after the last.
type readPage func(ctx context.Context, r storage.Range) (next string, err error)

// readAll reads the pages of the bucket in a stored series.
func (r *recomputation) readAll(ctx context.Context, fold *rollup.Fold, s model.Series, read readPage) error {
	pages := storage.Range{Series: s, From: r.bucket.interval.Start, To: r.bucket.interval.End, Consistent: true}
	for {
		r.counts.Reads++
		next, err := read(ctx, pages)
		if err != nil {
			return err
		}
		if r.overfull(fold) {
			r.sealOverfull(fold)
			return nil
		}
		if next == "" {
			return nil
		}
		pages.After = next
	}
}

func (r *recomputation) overfull(fold *rollup.Fold) bool { return fold.Children > r.limits.MaxChildren }

func (a *Aggregator) eventPage(add func(*model.Event)) readPage {
	return func(ctx context.Context, pages storage.Range) (next string, err error) {
		if next, err = storage.VisitPage(ctx, a.Store, pages, add); err != nil {
			return "", readError("read events", err)
		}
		return next, nil
	}
}

func (r *recomputation) rowPage(unit tier.Unit, fold *rollup.Fold) readPage {
	return func(ctx context.Context, pages storage.Range) (string, error) {
		page, err := r.agg.Store.Rows(ctx, unit, pages)
		if err != nil {
			return "", readError("read rows", err)
		}
		for i := range page.Rows {
			if err := item.FoldRow(fold, &page.Rows[i]); err != nil {
				return "", err
			}
		}
		return page.Next, nil
	}
}

// sealOverfull ends the fold of a bucket with too many children to read again at every
// change: it keeps the children read so far, makes the fold inexact and seals its row.
func (r *recomputation) sealOverfull(fold *rollup.Fold) {
	fold.Exact = false
	fold.ChildrenExpireAt = 0
	r.addNote("over %d children in one bucket: the row is sealed, exact: false; give the kind a finer "+
		"tier, as minute", r.limits.MaxChildren)
}
