package query

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// fold folds the buckets of a level that start in [from, to), oldest first. Buckets
// without events have no row.
func (f *folder) fold(ctx context.Context, level int, from, to model.Time) (rows []rollup.Row, err error) {
	if f.since == 0 && f.lostBelow(level, from, to) {
		if f.since, err = f.firstProcessed(ctx); err != nil {
			return nil, err
		}
	}
	for _, part := range f.parts(level, from, to) {
		b := buckets{folder: f, level: level, child: part.child, folds: map[model.Time]*rollup.Fold{},
			newer: map[model.Time]int{}}
		switch {
		case part.child >= 0:
			err = f.eachRow(ctx, part.child, part.from, part.to, b.addRow)
		case f.kind.HasEvents():
			err = f.eachEvent(ctx, part.from, part.to, b.addEvent)
		case f.kind.Sessions != nil:
			err = f.eachSession(ctx, part.from, part.to, &b)
		} // a group has no other children: what its members have in open buckets is not read
		if err != nil {
			return nil, err
		}
		rows = append(rows, b.rows()...)
	}
	return rows, nil
}

// part is a range of buckets that are folded from the same level; -1 means events.
type part struct {
	from, to model.Time // of children
	child    int
}

// parts cuts a range of buckets where a finer tier was added.
func (f *folder) parts(level int, from, to model.Time) (all []part) {
	policy := f.kind.Retention
	unit := policy.Tiers[level].Unit
	if first := unit.BucketAt(from); first.Start < from {
		from = first.End
	}
	if last := unit.BucketAt(min(to-1, model.MaxTime)); from < to {
		to = last.End
	}
	cuts := []model.Time{from, to}
	for _, t := range policy.Tiers[:level] {
		if b := unit.BucketAt(t.From); t.From != 0 && b.Start < t.From {
			cuts = append(cuts, b.End)
		} else if t.From != 0 {
			cuts = append(cuts, b.Start)
		}
	}
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		if a, b := max(cuts[i-1], from), min(cuts[i], to); a < b {
			all = append(all, part{from: a, to: b, child: policy.ChildLevel(level, unit.BucketAt(a))})
		}
	}
	return all
}

func (f *folder) eachEvent(ctx context.Context, from, to model.Time, add func(*model.Event)) error {
	events, span := 0, storage.Range{From: from, To: to, Consistent: f.consistent}
	count := func(e *model.Event) { events++; add(e) }
	if err := storage.VisitEvents(ctx, f.store, f.kind.SourceSeries(f.series), span, f.parallel,
		count); err != nil {
		return err
	}
	if f.folded != nil && events > 0 {
		f.folded(f.kind.Name, events)
	}
	return nil
}

// eachSession folds the sessions that begin in a range in one pass over their sources.
func (f *folder) eachSession(ctx context.Context, from, to model.Time, b *buckets) error {
	folds := sessions.New(f.kind, f.series, b.level, from, to)
	if err := folds.Read(ctx, f.store, f.kind.SourceSeries(f.series), f.consistent); err != nil {
		return err
	}
	for _, fold := range folds.Folds() {
		b.folds[fold.Bucket.Start] = fold.Fold
	}
	return nil
}

func (f *folder) eachRow(ctx context.Context, level int, from, to model.Time,
	add func(*rollup.Row) error) error {
	child := *f
	child.level = level
	read := func(after string) ([]rollup.Row, string, error) {
		page, err := child.page(ctx, level,
			storage.Range{Series: f.series, From: from, To: to, After: after, Consistent: f.consistent})
		return page.Rows, page.Next, err
	}
	for row, err := range paging.Items(read) {
		if err != nil {
			return err
		}
		if err := add(&row); err != nil {
			return err
		}
	}
	return nil
}

// buckets folds children, in any order, into one row for each bucket.
type buckets struct {
	*folder
	level, child int
	folds        map[model.Time]*rollup.Fold // by the start of the bucket
	newer        map[model.Time]int          // formats of children that a newer version wrote
	bucket       tier.Bucket                 // of the last child
	current      *rollup.Fold                // of bucket; nil before the first child
}

func (b *buckets) addEvent(e *model.Event) { b.at(e.At).AddEvent(e) }

// addRow adds a child row. Readers cannot read a bucket with a child of a newer version, as they cannot read
// the child.
func (b *buckets) addRow(r *rollup.Row) error {
	fold := b.at(r.Key.Start)
	err := item.FoldRow(fold, r)
	if errors.Is(err, item.ErrNewer) {
		fold.Children++
		b.newer[b.bucket.Start] = r.V
		return nil
	}
	return err
}

// at returns the fold of the bucket that contains a time.
func (b *buckets) at(t model.Time) *rollup.Fold {
	if b.current != nil && b.bucket.Start <= t && t < b.bucket.End {
		return b.current
	}
	b.bucket = b.kind.Retention.Tiers[b.level].Unit.BucketAt(t)
	if b.current = b.folds[b.bucket.Start]; b.current == nil {
		b.current = rollup.NewFold(b.kind.Spec())
		b.folds[b.bucket.Start] = b.current
	}
	return b.current
}

// rows returns the rows of the buckets that have children, oldest first. A fold of placeholders alone is
// inexact, and a row.
func (b *buckets) rows() (rows []rollup.Row) {
	for _, start := range slices.Sorted(maps.Keys(b.folds)) {
		if fold := b.folds[start]; fold.Children > 0 || !fold.Exact {
			rows = append(rows, b.row(start, fold))
		}
	}
	return rows
}

// row makes a row of a fold. A bucket whose first child may have expired was not
// swept in time: its fold may lack children, or children of them, so it is not exact.
func (b *buckets) row(start model.Time, fold *rollup.Fold) rollup.Row {
	t := b.kind.Retention.Tiers[b.level]
	bucket := t.Unit.BucketAt(start)
	fold.Exact = fold.Exact && !b.mayMissChildren(bucket)
	fold.Continuation = fold.Continuation.StartAt(start)
	format := item.Version
	if newer, found := b.newer[start]; found {
		format, fold.Summary = newer, nil
	}
	return rollup.Row{
		Key:  rollup.Key{Series: b.series, Tier: t.Unit.String(), Start: start},
		Fold: *fold, V: format, ExpiresAt: t.ExpiresAt(bucket, b.now), WrittenAt: b.now,
	}
}

func (b *buckets) mayMissChildren(of tier.Bucket) bool {
	return b.mayHaveExpired(b.level, of.Start) || b.lostBelow(b.level, of.Start, of.End)
}

// mayHaveExpired reports whether the first child of a bucket may have expired.
func (f *folder) mayHaveExpired(level int, start model.Time) bool {
	policy := f.kind.Retention
	child, least := policy.ChildLevel(level, policy.Tiers[level].Unit.BucketAt(start)),
		policy.LeastRawRetention()
	if child >= 0 {
		least = policy.Tiers[child].LeastRetention()
	} else {
		start = start.Add(-f.kind.SessionGap())
	}
	return least != tier.Forever && start.Add(least-storage.MaxClockAhead) <= f.now.Add(tier.SealMargin)
}

// lostBelow reports whether a range of buckets of a level may have a child, or a child of a child, that was
// not swept before it lost its own children. Such a child has no fold, so no other check finds it.
func (f *folder) lostBelow(level int, from, to model.Time) bool {
	child := f.kind.Retention.ChildLevel(level, f.kind.Retention.Tiers[level].Unit.BucketAt(from))
	if child < 0 {
		return false
	}
	from = max(from, f.openFrom(child), f.since)
	return from < to && (f.mayHaveExpired(child, f.kind.Retention.Tiers[child].Unit.BucketAt(from).Start) ||
		f.lostBelow(child, from, to))
}

// firstProcessed returns a time before which no event of the series was processed; MaxTime if it is not
// listed.
func (f *folder) firstProcessed(ctx context.Context) (model.Time, error) {
	first, listed, err := firstListed(ctx, f.store, f.kind, f.series)
	if !listed {
		first = model.MaxTime
	}
	return first, err
}
