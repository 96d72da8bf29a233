package query

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// This file decides, for every reader, what an absent bucket means: that there were no events, or that this
// is not known. TTL counts from the writing of an item, so the age of a bucket alone does not tell: history
// that was imported today is stored, and a row of the same time that was written years ago has expired.
//
// A bucket that cannot have expired by its age is known. Of an older one, a stored row is a value. An absent
// row proves that there were no events if the rows of its parent bucket are all there, and they are if their
// digests add up to the digest of the parent row. The same holds for the events of a bucket of the finest
// tier. A parent row that is inexact proves nothing: what it misses may have been anywhere in its bucket.

// NotKnown says, for people, why nothing is known of a missing part of a range.
const NotKnown = "the rows and events that would tell have expired, or may have expired"

// eventLevel is the level of events, below the finest tier.
const eventLevel = -1

// missing returns the parts of a range of which it is not known whether one of the series of q had events, as
// the rows of a unit tell; 0 is the events themselves. A bucket that is partly in a part counts as missing.
func (s *Service) missing(ctx context.Context, q Rollups, unit tier.Unit,
	from, to model.Time) ([]Segment, error) {
	lost, _, err := s.look(ctx, q, unit, from, to)
	return lost, err
}

// look is missing, and reports whether something is stored that is so old that, by its age, it may have
// expired.
func (s *Service) look(ctx context.Context, q Rollups, unit tier.Unit, from, to model.Time,
) (lost []Segment, stored bool, err error) {
	series := q.series()
	found := make([]layer, len(series))
	begin := func(at model.Time) model.Time { return at } // of the bucket of a time
	if unit != 0 {
		begin = func(at model.Time) model.Time { return unit.BucketAt(max(at, model.MinTime)).Start }
		from, to = firstStart(unit, from), firstStart(unit, to)
	}
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, one := range series {
		kind := q.findKind(one.Kind)
		_, level, _ := kind.Retention.Find(unit)
		e := existence{store: s.Store, kind: kind, series: one, now: s.Now(), consistent: q.Consistent}
		old := Segment{From: from, To: min(to, e.wholeFrom(level))}
		if kind.GroupsOf != "" && unit == 0 { // a group has no events
			found[i].unknown = []Segment{{From: from, To: to}}
			continue
		}
		if old.From >= old.To {
			continue
		}
		reads.Go(func() error {
			first, listed, err := firstListed(ctx, s.Store, kind, one)
			if old.From = max(old.From, begin(first)); err != nil || listed && old.From >= old.To {
				return err
			}
			found[i], err = e.look(ctx, level, old.From, old.To)
			return err
		})
	}
	err = reads.Wait()
	for _, l := range found {
		lost = append(lost, within(l.unknown, Segment{From: from, To: to})...)
		stored = stored || len(l.children) > 0
	}
	return union(lost), stored, err
}

// Whole reports whether the rows of a unit tell everything of a range, which may be older than they are kept.
func (s *Service) Whole(ctx context.Context, q Rollups, unit tier.Unit, from, to model.Time) (bool, error) {
	lost, err := s.missing(ctx, q, unit, from, to)
	return len(lost) == 0, err
}

// firstStart returns the start of the first bucket of a unit that starts at a time or later; an open end
// stays.
func firstStart(unit tier.Unit, at model.Time) model.Time {
	if at <= model.MinTime || at > model.MaxTime {
		return at
	}
	return unit.FirstStart(at)
}

// firstListed returns a time before which no event of a series was processed, by the list of series: a batch
// is acknowledged when the list has its events. It is MinTime for a series that is not in the list.
func firstListed(ctx context.Context, store Store, kind *catalog.Kind, series model.Series,
) (first model.Time, listed bool, err error) {
	key := tablekeys.SeriesEntry(kind.SourceSeries(series)[0].WithoutShard())
	page, err := store.List(ctx, itemop.ListRequest{Partition: key.PK, From: key.SK, To: key.SK})
	if err != nil || len(page.Items) == 0 {
		return model.MinTime, false, err
	}
	entry, err := item.ListedSeries(page.Items[0])
	return entry.First, true, err
}

// existence looks at what is stored of one series.
type existence struct {
	store      Store
	kind       *catalog.Kind
	series     model.Series
	now        model.Time
	consistent bool
}

// child is what a bucket of the next coarser tier is folded from: an event, or a row.
type child struct {
	at     model.Time
	digest rollup.Digest
	unsure bool // the digest is not known, or misses a change
}

// layer is what is stored of a level in a range.
type layer struct {
	children []child   // oldest first
	unknown  []Segment // where an absent child may have existed
}

// wholeFrom returns the time from which on, by age, no child of a level can have expired.
func (e existence) wholeFrom(level int) model.Time {
	if level >= 0 {
		return e.kind.Retention.Tiers[level].CompleteFrom(e.now)
	}
	return e.kind.FoldedAfter(eventsCompleteFrom(e.kind.Retention, e.now))
}

// look reads a level in a range, and the coarser levels as far as the range is older than wholeFrom.
func (e existence) look(ctx context.Context, level int, from, to model.Time) (l layer, err error) {
	old := Segment{From: from, To: min(to, e.wholeFrom(level))}
	if old.From >= old.To {
		l.children, err = e.read(ctx, level, from, to)
		return l, err
	}
	for _, part := range e.parts(level, old) {
		if part.parent < 0 {
			l.unknown = append(l.unknown, part.Segment)
			continue
		}
		from, to = min(from, part.From), max(to, part.To)
	}
	if level == eventLevel && len(l.unknown) > 0 && len(e.kind.Retention.Tiers) == 0 {
		return l, nil // no row tells, and an event is no proof that another has not expired
	}
	if l.children, err = e.read(ctx, level, from, to); err != nil {
		return l, err
	}
	for _, part := range e.parts(level, old) {
		if part.parent >= 0 {
			above, err := e.look(ctx, part.parent, part.From, part.To)
			if err != nil {
				return l, err
			}
			l.unknown = append(l.unknown, e.unproven(l.children, above, part)...)
		}
	}
	l.unknown = union(within(l.unknown, old))
	if level >= 0 {
		unit := e.kind.Retention.Tiers[level].Unit
		var stored []Segment
		for _, c := range l.children {
			stored = addSegment(stored, Segment{From: c.at, To: unit.BucketAt(c.at).End})
		}
		l.unknown = without(l.unknown, stored)
	}
	return l, nil
}

// parentPart is a part of a range, and the level that is folded from the children there; -1 if none is.
type parentPart struct {
	Segment
	parent int
}

// parts cuts a range where a coarser tier begins, and widens each part to complete buckets of its parent
// level.
func (e existence) parts(level int, of Segment) (all []parentPart) {
	cuts := []model.Time{of.From, of.To}
	for _, t := range e.kind.Retention.Tiers {
		if of.From < t.From && t.From < of.To {
			cuts = append(cuts, t.From)
		}
	}
	slices.Sort(cuts)
	for i, from := range cuts[1:] {
		part := parentPart{Segment{From: cuts[i], To: from}, e.parent(level, cuts[i])}
		if part.parent >= 0 {
			unit := e.kind.Retention.Tiers[part.parent].Unit
			part.From = unit.BucketAt(max(part.From, model.MinTime)).Start
			part.To = unit.BucketAt(min(part.To-1, model.MaxTime)).End
		}
		all = append(all, part)
	}
	return all
}

// parent returns the finest level whose bucket over a time is folded from the children of a level; -1 if none
// is.
func (e existence) parent(level int, at model.Time) int {
	policy := e.kind.Retention
	for i := level + 1; i < len(policy.Tiers); i++ {
		b := policy.Tiers[i].Unit.BucketAt(max(at, model.MinTime))
		if policy.Tiers[i].HasRow(b) && policy.ChildLevel(i, b) == level {
			return i
		}
	}
	return -1
}

// unproven returns the parent buckets of a part whose children are not known to be all there.
func (e existence) unproven(children []child, above layer, part parentPart) []Segment {
	unit := e.kind.Retention.Tiers[part.parent].Unit
	bucketOf := func(at model.Time) Segment { b := unit.BucketAt(at); return Segment{From: b.Start, To: b.End} }
	lack := map[model.Time]rollup.Digest{} // of each parent bucket, what the children lack
	unknown := slices.Clone(above.unknown)
	for _, p := range above.children {
		lack[p.at] = p.digest
		if p.unsure {
			unknown = append(unknown, bucketOf(p.at))
		}
	}
	for _, c := range children {
		if bucket := bucketOf(c.at); part.From <= c.at && c.at < part.To {
			rest := lack[bucket.From]
			rest.Sub(c.digest)
			if lack[bucket.From] = rest; c.unsure {
				unknown = append(unknown, bucket)
			}
		}
	}
	for start, rest := range lack {
		if rest != (rollup.Digest{}) {
			unknown = append(unknown, bucketOf(start))
		}
	}
	return union(unknown)
}

// read returns what is stored of a level in a range, as readers see it. Sessions are read as the folds of the
// finest buckets, which have the digests of the sessions that began in them.
func (e existence) read(ctx context.Context, level int, from, to model.Time) (all []child, err error) {
	switch {
	case level >= 0:
		return e.readRows(ctx, level, from, to)
	case e.kind.Sessions != nil:
		folds := sessions.New(e.kind, e.series, 0, from, to)
		err := folds.Read(ctx, e.store, e.kind.SourceSeries(e.series), e.consistent)
		for _, f := range folds.Folds() {
			all = append(all, child{at: f.Bucket.Start, digest: f.Digest})
		}
		return all, err
	}
	span := storage.Range{From: from, To: to, Consistent: e.consistent}
	for event, err := range storage.MergeEvents(ctx, e.store, e.kind.SourceSeries(e.series), span) {
		if err != nil {
			return nil, err
		}
		if !expired(event.ExpiresAt, e.now) {
			all = append(all, child{at: event.At, digest: rollup.NewDigest(&event)})
		}
	}
	return all, nil
}

func (e existence) readRows(ctx context.Context, level int, from, to model.Time) (all []child, err error) {
	t := e.kind.Retention.Tiers[level]
	read := func(after string) ([]rollup.Row, string, error) {
		span := storage.Range{Series: e.series, From: from, To: to, After: after, Consistent: e.consistent}
		page, err := e.store.Rows(ctx, t.Unit, span)
		return page.Rows, page.Next, err
	}
	for row, err := range paging.Items(read) {
		if err != nil {
			return nil, err
		}
		if visible(&row, t, e.now) {
			all = append(all, child{at: row.Key.Start, digest: row.Digest, unsure: row.Summary == nil || !row.Exact})
		}
	}
	return all, nil
}
