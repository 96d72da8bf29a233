package aggregate

import (
	"cmp"
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// longestRun is how many buckets are recomputed one after the other, for one read of their events.
const longestRun = 24

// runs divides buckets into runs of adjacent buckets of one series whose events are read together.
// History that is imported touches many hours of a series at once.
func (p *prefetched) runs(buckets []*dirtyBucket, now model.Time) (runs [][]*dirtyBucket) {
	if p == nil {
		p = &prefetched{}
	}
	var together []*dirtyBucket
	for _, b := range buckets {
		if row, known := p.rows[b.key]; known && b.foldsOneSeries() &&
			(row == nil || !row.Placeholder() && !item.SealedRow(row, now)) {
			together = append(together, b)
		} else {
			runs = append(runs, []*dirtyBucket{b})
		}
	}
	slices.SortFunc(together, func(x, y *dirtyBucket) int {
		return cmp.Or(cmp.Compare(x.key.Series.String(), y.key.Series.String()),
			cmp.Compare(x.key.Start, y.key.Start))
	})
	for len(together) > 0 {
		n := 1
		for n < min(len(together), longestRun) && together[n].key.Series == together[0].key.Series &&
			together[n].interval.Start == together[n-1].interval.End {
			n++
		}
		runs = append(runs, together[:n])
		together = together[n:]
	}
	return runs
}

// foldsOneSeries reports whether the bucket is folded from the events of one stored series.
func (b *dirtyBucket) foldsOneSeries() bool {
	return b.kind.HasEvents() && len(b.kind.GroupKinds()) == 0 && b.kind.Retention.ChildLevel(b.level,
		b.interval) < 0 && len(b.kind.SourceSeries(b.key.Series)) == 1
}

// foldRun folds the events of a run. A fold is nil where the recomputation must read for itself: of
// a single bucket, after a failure, and of a bucket with too many children.
func (a *Aggregator) foldRun(ctx context.Context, run []*dirtyBucket, limits Limits,
	all *results) (folds []*rollup.Fold) {
	folds = make([]*rollup.Fold, len(run))
	if len(run) == 1 {
		return folds
	}
	defer func() {
		if recover() != nil { // a recomputation reports it
			clear(folds)
		}
	}()
	for i, b := range run {
		folds[i] = rollup.NewFold(b.kind.Spec())
	}
	at := 0
	read := a.eventPage(func(e *model.Event) {
		for e.At >= run[at].interval.End {
			at++
		}
		if folds[at].Children <= limits.MaxChildren {
			folds[at].AddEvent(e)
		}
	})
	first, last := run[0], run[len(run)-1]
	pages := storage.Range{Series: first.kind.SourceSeries(first.key.Series)[0], From: first.interval.Start,
		To: last.interval.End, Consistent: true}
	for more := true; more; more = pages.After != "" {
		next, err := read(ctx, pages)
		if err != nil {
			clear(folds)
			return folds
		}
		all.count(Counts{Reads: 1})
		pages.After = next
	}
	for i, fold := range folds {
		if fold.Children > limits.MaxChildren {
			folds[i] = nil
		}
	}
	return folds
}
