package query

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RangeTotal is the merged summary of the events of any time range, to the millisecond.
type RangeTotal struct {
	Total
	From, To model.Time // as requested
	// Parts are the parts of the range and what each was read from, oldest first. Unit is
	// zero for raw events.
	Parts []Segment
	// Missing are the parts that could not be read: the rows or events that would cut
	// them to the millisecond have expired. The total has no event of them.
	Missing []Segment
	// CompleteThrough is that of a RollupPage.
	CompleteThrough *model.Time
	Cost            model.ReadCost
}

// maxTotalBuckets is how many buckets one total merges.
const maxTotalBuckets = 20_000

// RangeTotal reads complete buckets of the coarsest tiers, and at the ends of the range finer tiers and at
// last raw events, so that it reads little and counts no event outside. Unit, Limit, Newest and Cursor are
// not used. The error is ErrTooMany if the range has too many buckets.
func (s *Service) RangeTotal(ctx context.Context, q Rollups) (RangeTotal, error) {
	q.Limit, q.Newest, q.Cursor = 0, false, ""
	if err := q.check(); err != nil {
		return RangeTotal{}, err
	}
	ctx, meter := model.WithReadMeter(ctx)
	through, err := s.completeThrough(ctx, q)
	if err != nil {
		return RangeTotal{}, err
	}
	c := cutter{policy: q.commonPolicy(), now: s.Now(), eventsFrom: model.MinTime}
	for _, k := range q.kinds() {
		if c.eventsFrom = max(c.eventsFrom, eventsCompleteFrom(k.Retention, c.now)); !k.HasEvents() {
			c.eventsFrom = model.MaxTime + 1
		}
	}
	c.cut(len(c.policy.Tiers)-1, max(q.From, model.MinTime), min(q.To, model.MaxTime+1))
	t := RangeTotal{Total: Total{Fold: *rollup.NewFold(nil)}, From: q.From, To: q.To, Parts: c.parts, Missing: c.missing, CompleteThrough: through}
	for _, part := range c.parts {
		if err := s.addPart(ctx, &t.Total, q, part); err != nil {
			return RangeTotal{}, fmt.Errorf("total of %s: %w", q.Series, err)
		}
	}
	t.Open = c.now < q.To
	t.Cost = meter.Cost()
	return t, nil
}

// addPart adds the buckets, or the events, of one part.
func (s *Service) addPart(ctx context.Context, t *Total, q Rollups, part Segment) error {
	q.Unit, q.From, q.To = part.Unit, part.From, part.To
	if part.Unit == 0 {
		return s.addEvents(ctx, t, q)
	}
	for r, err := range s.EachRollup(ctx, q) {
		if err != nil {
			return err
		}
		if t.add(r); t.Buckets > maxTotalBuckets {
			return fmt.Errorf("%w (%d)", ErrTooMany, maxTotalBuckets)
		}
	}
	return nil
}

// addEvents adds the events of each series, as a bucket of its own.
func (s *Service) addEvents(ctx context.Context, t *Total, q Rollups) error {
	now := s.Now()
	for _, series := range q.series() {
		kind := q.kindOf(series.Kind)
		row := rollup.Row{Key: rollup.Key{Series: series, Start: q.From}, Fold: *rollup.NewFold(kind.Spec())}
		for e, err := range storage.EventsOf(ctx, s.Store, kind.SourcesOf(series), storage.Range{From: q.From, To: q.To, Consistent: q.Consistent}) {
			if err != nil {
				return err
			}
			if !expired(e.ExpiresAt, now) {
				row.AddEvent(&e)
			}
		}
		if row.Children > 0 {
			group := []rollup.Row{row}
			t.add(Rollup{Kinds: q.eventsByKind(group), Fold: row.Fold})
		}
	}
	return nil
}

// cutter cuts a range into parts that can be read completely.
type cutter struct {
	policy         tier.Policy
	now            model.Time
	eventsFrom     model.Time // no earlier event is sure to exist
	parts, missing []Segment
}

// cut adds the parts of [from, to), which are read from a level and finer ones; level -1 is the events.
func (c *cutter) cut(level int, from, to model.Time) {
	if from >= to {
		return
	}
	if level < 0 {
		exists := min(max(from, c.eventsFrom), to)
		c.missing = addSegment(c.missing, Segment{From: from, To: exists})
		c.parts = addSegment(c.parts, Segment{From: exists, To: to})
		return
	}
	t := c.policy.Tiers[level]
	first, end := max(from, t.CompleteFrom(c.now)), to
	if first > model.MinTime {
		first = t.Unit.FirstStart(first)
	}
	if to <= model.MaxTime {
		end = t.Unit.BucketOf(to).Start
	}
	if first >= end {
		c.cut(level-1, from, to)
		return
	}
	c.cut(level-1, from, first)
	c.parts = addSegment(c.parts, Segment{Unit: t.Unit, From: first, To: end})
	c.cut(level-1, end, to)
}

// addSegment adds a segment, or extends the last one. An empty one is left out.
func addSegment(all []Segment, s Segment) []Segment {
	switch n := len(all); {
	case s.From >= s.To:
		return all
	case n > 0 && all[n-1].To == s.From && all[n-1].Unit == s.Unit:
		all[n-1].To = s.To
		return all
	}
	return append(all, s)
}
