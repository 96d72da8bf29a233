package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// DefaultPoints is the most points a chart has if its request sets no limit.
const DefaultPoints = 1500

// Chart requests the rollups of a time range in one tier: the finest tier that still exists for the whole
// range and has at most Limit points, or the tier of Unit if that is set. It embeds Rollups for the series,
// the range and the direction; Limit is the maximum number of points, and 0 means DefaultPoints.
//
// The range is of event times and is widened to complete buckets, so the result includes every event of the
// range and the other events of its first and last bucket. A chart has no pages: a Cursor is an error.
type Chart struct {
	Rollups
	// Stitched allows several tiers: where the finest tier has expired, coarser tiers
	// cover the older part of the range.
	Stitched bool
	// Gaps adds an empty rollup, with Gap set, for each bucket that had no events, up to the open one.
	Gaps bool
	// Zone is where days and months begin. It applies if the chart is of these, has at most 400 and no
	// Gaps; each Rollup has its Local period then. nil is UTC.
	Zone *time.Location
}

// Curve is the result of a Chart.
type Curve struct {
	// From and To are the covered range: the requested range, widened to complete buckets.
	From, To model.Time
	Segments []Segment // the tier of each part of the range, oldest first; one unless Stitched
	// Reason explains in a sentence why these tiers were chosen: "daily: hourly rollups
	// before 21 Oct 2026 have expired".
	Reason string
	// CompleteFrom is the time from which on the tier of the first segment is whole: nothing is missing.
	CompleteFrom model.Time
	// Missing are the parts of the range, oldest first, of which it is not known whether they had events: see
	// Segment.Reason. Any other bucket without a rollup had none.
	Missing []Segment
	Progress
	Rollups []Rollup // oldest first, unless Newest is set
	Cost    model.ReadCost

	spec *rollup.Spec // by which the rollups merge to a total
}

// Chart reads the rollups of a time range. The error is ErrTooLong if no tier has few enough points, and
// ErrNoTier if a kind does not have the tier of Unit.
func (s *Service) Chart(ctx context.Context, q Chart) (Curve, error) {
	now := s.Now()
	ctx, meter := model.WithReadMeter(ctx)
	p, err := q.plan(now, func(unit tier.Unit, from, to model.Time) ([]Segment, bool, error) {
		return s.look(ctx, q.Rollups, unit, from, to)
	})
	if err != nil {
		return Curve{}, fmt.Errorf("chart of %s: %w", q.Series, err)
	}
	progress, err := s.progress(ctx, q.Rollups.series())
	if err != nil {
		return Curve{}, err
	}
	c := Curve{
		From: p.segments[0].From, To: p.segments[len(p.segments)-1].To,
		Segments: p.segments, Reason: p.reason, CompleteFrom: p.completeFrom, Progress: progress,
		spec: q.specForReading(),
	}
	unit, err := times.ParseUnit(p.segments[0].Unit.String())
	if q.Zone != nil && err == nil && len(p.segments) == 1 && !q.Gaps {
		local, err := s.LocalRollups(ctx, Local{Rollups: q.Rollups, Zone: q.Zone, Unit: unit})
		c.Rollups, c.Missing = local.Rollups, local.Missing
		if c.Cost = meter.Cost(); !errors.Is(err, ErrTooMany) {
			return c, err
		}
	}
	for _, segment := range p.segments {
		found, missing, err := s.segment(ctx, q, segment)
		if err != nil {
			return Curve{}, err
		}
		if q.Gaps {
			found = q.addGaps(found, segment, missing, now)
		}
		c.Rollups, c.Missing = append(c.Rollups, found...), union(append(c.Missing, missing...))
	}
	oldestFirst := q.Rollups
	oldestFirst.Newest = false
	if err := s.link(ctx, oldestFirst, c.Rollups, c.Missing); err != nil {
		return Curve{}, err
	}
	if q.Newest {
		slices.Reverse(c.Rollups)
	}
	c.Cost = meter.Cost()
	return c, nil
}

// Total merges all rollups of the curve.
func (c *Curve) Total() Total {
	t := Total{Fold: *rollup.NewFold(c.spec), Progress: c.Progress}
	for _, r := range c.Rollups {
		if !r.Gap {
			t.add(r)
		}
	}
	if first := c.first(); first != nil {
		t.Before = first.Before
	}
	t.lack(c.Missing)
	return t
}

// first returns the earliest rollup with events; nil if there is none.
func (c *Curve) first() (first *Rollup) {
	for i := range c.Rollups {
		if r := &c.Rollups[i]; !r.Gap && (first == nil || r.Bucket.Start < first.Bucket.Start) {
			first = r
		}
	}
	return first
}

func (q Chart) plan(now model.Time,
	look func(tier.Unit, model.Time, model.Time) ([]Segment, bool, error)) (plan, error) {
	if err := q.check(); err != nil {
		return plan{}, err
	}
	c := tierChoice{
		policy: q.commonPolicy(), now: now, stitched: q.Stitched, look: look,
		from: max(q.From, model.MinTime), to: min(q.To, model.MaxTime+1),
		maxPoints: cmp.Or(q.Limit, DefaultPoints),
	}
	switch {
	case q.Cursor != "":
		return plan{}, ErrCursorMismatch
	case c.from >= c.to:
		return plan{}, fmt.Errorf("from %s to %s: %w", c.from, c.to, ErrRange)
	case q.Unit != 0:
		if err := q.checkTier(); err != nil {
			return plan{}, err
		}
		c.policy.Tiers, c.requested = []tier.Tier{c.find(q.Unit)}, true
	}
	return c.choose()
}

// segment reads the rollups of one segment, oldest first, and what is not known of it.
func (s *Service) segment(ctx context.Context, q Chart, segment Segment) ([]Rollup, []Segment, error) {
	part := q.Rollups
	part.Unit = segment.Unit
	part.From = segment.From
	part.To = segment.To
	part.Newest = false
	part.Limit = 0
	rows, err := s.pagerOfRollups(ctx, part)
	if err != nil {
		return nil, nil, err
	}
	found, err := paging.Collect(rows.all(ctx, "", 0))
	return found, rows.missing, err
}

// addGaps returns the rollups of a segment, oldest first, with an empty rollup for each bucket that has begun
// and had no events. It adds none where that is not known.
func (q Chart) addGaps(found []Rollup, segment Segment, missing []Segment, now model.Time) []Rollup {
	var all []Rollup
	for start := segment.From; start < segment.To && start <= now; start = segment.Unit.BucketAt(start).End {
		if len(found) > 0 && found[0].Bucket.Start == start {
			all, found = append(all, found[0]), found[1:]
			continue
		}
		bucket := segment.Unit.BucketAt(start)
		if overlaps(missing, Segment{From: start, To: bucket.End}) {
			continue
		}
		all = append(all, Rollup{
			Series: q.commonSeries(), Bucket: bucket, Open: now < bucket.End, Gap: true, Fold: *rollup.NewFold(nil),
		})
	}
	return append(all, found...) // rollups of buckets that have not begun
}
