package aggregate

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// LatestStore stores latest items. It is latest.Store without the events, which Store reads.
type LatestStore = latest.Store

// derivesLatest reports whether the latest items of a kind are folded from its events alone.
func derivesLatest(k *catalog.Kind) bool { return k.HasLatest() && !k.LatestInTransaction() }

// foldsLatest reports whether the latest item is folded together with the bucket: with each
// recomputation of a bucket that is folded from events.
func (r *recomputation) foldsLatest() bool {
	b := r.bucket
	return derivesLatest(b.kind) && b.kind.Retention.ChildLevel(b.level, b.interval) < 0 && !b.options.DryRun
}

// latestChanges are the changes of one series for which its latest item must be folded.
type latestChanges struct {
	kind    *catalog.Kind
	series  model.Series
	changes []storage.Change
	first   int // index of the first of them
}

// seeLatest notes a change for which a latest item must be folded.
func (c *chunk) seeLatest(kind *catalog.Kind, change *storage.Change) {
	if !latest.Concerns(kind, change) {
		return
	}
	for _, known := range c.latest {
		if known.series == change.Key.Series {
			known.changes = append(known.changes, *change)
			return
		}
	}
	c.latest = append(c.latest,
		&latestChanges{kind: kind, series: change.Key.Series, changes: []storage.Change{*change}, first: c.end})
}

// foldLatestItems folds the latest items of the series of a chunk, once each, also if a bucket is left to a
// sweep: until then a read would return a deleted event.
func (a *Aggregator) foldLatestItems(ctx context.Context, c *chunk, limits Limits, all *results) {
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, l := range c.latest {
		group.Go(func() error {
			var counts Counts
			always := derivesLatest(l.kind)
			err := a.foldLatest(ctx, l.kind, l.series, l.changes, always, &counts)
			all.count(counts)
			if err != nil {
				all.addFailure(l.first, err)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
}

// newDay sheds fields of the latest items of a series when its entry in the list comes to another day,
// which one process does once a day. What fails is left to the next day, and counted.
func (l *listing) newDay(ctx context.Context, old, next storage.ListedSeries) {
	kind, ok := l.Catalog.Kind(next.Series.Kind)
	store, stores := l.Store.(LatestStore)
	sameDay := tier.Day.BucketAt(old.Last) == tier.Day.BucketAt(next.Last)
	if !ok || !stores || !kind.LatestInTransaction() || old.Series.Kind == "" || sameDay {
		return
	}
	f := latest.Folder{Store: store, Now: l.Now, NewRev: l.newRev, Retrier: l.retrier()}
	for _, s := range kind.ShardSeries(next.Series) {
		report, err := f.Shed(ctx, kind, s)
		if err != nil {
			report.Bounded++
		}
		l.all.count(latestCounts(report))
	}
}

// latestCounts returns what folds of latest items did.
func latestCounts(r latest.Report) (c Counts) {
	c.Reads, c.Writes = r.Reads, len(r.Writes)
	c.LatestSkipped, c.LatestBounded = r.Skipped, r.Bounded
	for _, result := range r.Writes {
		c.countResult(result)
	}
	return c
}

// foldLatest folds the latest item of a series. With always it writes an unchanged item too, for the reason
// of writeIfChanged.
func (a *Aggregator) foldLatest(ctx context.Context, kind *catalog.Kind, s model.Series,
	changes []storage.Change, always bool, counts *Counts) error {
	store, ok := a.Store.(LatestStore)
	if !ok {
		return fmt.Errorf("the store %T stores no latest items, which kind %s has", a.Store, kind.Name)
	}
	f := latest.Folder{Store: store, Now: a.Now, NewRev: a.newRev, Retrier: a.retrier()}
	report, err := f.Fold(ctx, kind, s, changes, always)
	did := latestCounts(report)
	counts.Add(&did)
	return err
}
