package query

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// readingsBack is how many rows or events before a range are read for the last reading of a counter: a few,
// which nearly always suffice, and then more. A counter without a reading in these begins with its first one
// in the range.
var readingsBack = []int{4, 252}

// readingsBefore returns the last readings of the counters of q before a time, from the rows of a unit that
// start before it; 0: from events. It is nil, and nothing is read, if the kinds declare no counter.
func (s *Service) readingsBefore(
	ctx context.Context, q Rollups, unit tier.Unit, at model.Time,
) (*rollup.LastReadings, error) {
	if !q.specForReading().HasSteps() {
		return nil, nil
	}
	series := q.series()
	found := make([]rollup.LastReadings, len(series))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, one := range series {
		if q.findKind(one.Kind).Spec().HasSteps() && at > model.MinTime {
			reads.Go(func() (err error) {
				found[i], err = s.readBack(ctx, q, one, unit, at)
				return err
			})
		}
	}
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	all := &rollup.LastReadings{}
	for i := range found {
		all.Join(&found[i])
	}
	return all, nil
}

// readBack returns the last readings of a series before a time. Where a tier, or the events, begin later, the
// readings before may have expired with them: the next coarser tier is read before its bucket of the time. It
// is not if a part of the range before the time is missing, over which no step leads.
func (s *Service) readBack(
	ctx context.Context, q Rollups, series model.Series, unit tier.Unit, at model.Time,
) (all rollup.LastReadings, err error) {
	policy, spec := q.findKind(series.Kind).Retention, q.findKind(series.Kind).Spec()
	_, level, _ := policy.Find(unit)
	for {
		found, err := s.readLevelBack(ctx, q, series, unit, at)
		if all.Join(&found.LastReadings); err != nil || !found.ended || !all.Lacks(spec) {
			return all, err
		}
		if level++; level == len(policy.Tiers) {
			return all, nil
		}
		coarser := policy.Tiers[level].Unit
		start := coarser.BucketAt(min(at, model.MaxTime)).Start
		lost, err := s.missing(ctx, q, unit, min(start, q.From), at)
		if err != nil || len(lost) > 0 {
			return all, err
		}
		unit, at = coarser, start
	}
}

// readLevelBack returns the last readings of the rows of a unit, or of the events of all shards. Of several
// shards it knows none until each has one.
func (s *Service) readLevelBack(
	ctx context.Context, q Rollups, series model.Series, unit tier.Unit, at model.Time,
) (lastFound, error) {
	sources, all := []model.Series{series}, lastFound{whole: true, ended: true}
	if unit == 0 {
		sources = q.findKind(series.Kind).SourceSeries(series)
	}
	for _, source := range sources {
		found, err := s.readSourceBack(ctx, q, source, unit, at)
		if err != nil || !found.whole && len(sources) > 1 {
			return lastFound{}, err
		}
		all.Join(&found.LastReadings)
		all.ended = all.ended && found.ended
	}
	return all, nil
}

// lastFound is the last readings that were found before a time.
type lastFound struct {
	rollup.LastReadings
	whole bool // each counter has one, or earlier ones are not known
	ended bool // nothing earlier is stored, and nothing is missing
}

// summaryBack is a row or an event before a range; without a summary if it cannot be read.
type summaryBack struct {
	start model.Time
	*rollup.Summary
}

// readSourceBack reads the rows or events of a stored series, newest first, until each counter has a reading,
// or to the end. The end is also where a part is missing, or a row cannot be read.
func (s *Service) readSourceBack(
	ctx context.Context, q Rollups, source model.Series, unit tier.Unit, at model.Time,
) (found lastFound, err error) {
	spec := q.findKind(source.Kind).Spec()
	span := storage.Range{Series: source, From: model.MinTime, To: at, Newest: true, Consistent: q.Consistent}
	read := s.rowsBack
	if unit == 0 {
		read = s.eventsBack
	}
	for _, span.Limit = range readingsBack {
		summaries, next, err := read(ctx, q, unit, span)
		if err != nil {
			return found, err
		}
		known, err := s.knownFrom(ctx, q, unit, summaries, at)
		if err != nil {
			return found, err
		}
		for _, summary := range summaries {
			if summary.Summary == nil {
				found.whole = true
				return found, nil
			}
			if summary.start >= known {
				found.Before(q.ofSeries(summary.Summary, source))
			}
		}
		found.ended = next == "" && known <= model.MinTime
		if span.After = next; next == "" || known > model.MinTime || !found.Lacks(spec) {
			found.whole = true
			return found, nil
		}
	}
	return found, nil
}

// knownFrom returns the time from which on nothing is missing before a time: MinTime if nothing is since the
// last one of the summaries.
func (s *Service) knownFrom(
	ctx context.Context, q Rollups, unit tier.Unit, back []summaryBack, at model.Time,
) (model.Time, error) {
	if len(back) == 0 {
		return model.MinTime, nil
	}
	missing, err := s.missing(ctx, q, unit, back[len(back)-1].start, at)
	if err != nil || len(missing) == 0 {
		return model.MinTime, err
	}
	return missing[len(missing)-1].To, nil
}

// rowsBack reads one page of rows, newest first.
func (s *Service) rowsBack(
	ctx context.Context, q Rollups, unit tier.Unit, r storage.Range,
) (all []summaryBack, next string, err error) {
	page, err := s.Store.Rows(ctx, unit, r)
	kept, _, _ := q.commonPolicy().Find(unit)
	now := s.Now()
	for i := range page.Rows {
		if row := &page.Rows[i]; visible(row, kept, now) {
			all = append(all, summaryBack{start: row.Key.Start, Summary: row.Summary})
		}
	}
	return all, page.Next, err
}

// eventsBack reads one page of events, newest first.
func (s *Service) eventsBack(
	ctx context.Context, q Rollups, _ tier.Unit, r storage.Range,
) (all []summaryBack, next string, err error) {
	page, err := s.Store.Events(ctx, r)
	now, spec := s.Now(), q.findKind(r.Series.Kind).Spec()
	for i := range page.Events {
		if e := &page.Events[i]; !expired(e.ExpiresAt, now) {
			fold := rollup.NewFold(spec)
			fold.AddEvent(e)
			all = append(all, summaryBack{start: e.At, Summary: fold.Summary})
		}
	}
	return all, page.Next, err
}

// ofSeries returns a summary for a merge with other series of q.
func (q Rollups) ofSeries(s *rollup.Summary, of model.Series) *rollup.Summary {
	if len(q.With)+len(q.Subjects)+len(q.Streams) == 0 {
		return s
	}
	of.Shard = 0
	return s.ForSeries(of)
}

// link gives the rollups of one request, in its direction, the last readings before each. Nothing is known of
// readings in missing parts, so no step leads over them.
func (s *Service) link(ctx context.Context, q Rollups, found []Rollup, missing []Segment) error {
	var buckets []*Rollup
	for i := range found {
		if !found[i].Gap {
			buckets = append(buckets, &found[i])
		}
	}
	if len(buckets) == 0 || !q.specForReading().HasSteps() {
		return nil
	}
	if q.Newest {
		slices.Reverse(buckets)
	}
	before, err := s.readingsBefore(ctx, q, buckets[0].Bucket.Unit, buckets[0].Bucket.Start)
	if err != nil {
		return err
	}
	for i, b := range buckets {
		if b.Err != nil {
			before = &rollup.LastReadings{}
			continue
		}
		if i > 0 && overlaps(missing, Segment{From: buckets[i-1].Bucket.End, To: b.Bucket.Start}) {
			before = &rollup.LastReadings{}
		}
		b.Before = before
		before = before.Clone()
		before.Pass(b.Summary)
	}
	return nil
}
