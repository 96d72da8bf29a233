package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// DefaultPoints is how many points a chart has at most where its request does not say.
const DefaultPoints = 1500

// Chart asks for the rollups of a range of time in the one tier that suits it: the
// finest that still exists for the whole range and gives at most Limit points, or the
// tier of Unit where that is set.
//
// The range is of event times, and is widened to whole buckets: every event of it is
// in the answer, beside those of its first and last bucket. Limit is DefaultPoints
// where it is 0. There are no pages, so a Cursor is refused.
type Chart struct {
	Rollups
	// Stitched has a range that reaches back over the retention of a tier answered by
	// that tier as far as it goes, and by coarser ones before.
	Stitched bool
	// Gaps has buckets without events shown too, empty and marked, from the Curve's
	// WholeFrom up to the open one: of a bucket before, nobody can say that it had none.
	Gaps bool
}

// Curve is the answer to a Chart.
type Curve struct {
	// From and To are what is covered: the range asked for, widened to whole buckets.
	From, To model.Time
	Segments []Segment // which tier answers what, oldest first; one unless stitched
	// Reason says in a sentence why these tiers: "daily: hourly rollups before
	// 21 Oct 2026 have expired".
	Reason string
	// WholeFrom is the start of the first bucket that cannot have expired. After From
	// it says that nothing that is kept reaches back to From: a bucket before it that is
	// not shown may have had events.
	WholeFrom model.Time
	Rollups   []Rollup // oldest first, unless Newest was asked for
	Cost      model.Cost
}

// Chart reads the rollups of a range by as few requests as their pages take. The error
// is ErrTooLong where no tier gives few enough points, and ErrNoTier where the kinds
// lack Unit; as in Rollups, a row that cannot be read is an error and no hole.
func (s *Service) Chart(ctx context.Context, q Chart) (Curve, error) {
	now := s.Now()
	p, err := q.plan(now)
	if err != nil {
		return Curve{}, fmt.Errorf("chart of %s: %w", q.Series, err)
	}
	ctx, meter := model.Metered(ctx)
	c := Curve{
		From: p.segments[0].From, To: p.segments[len(p.segments)-1].To,
		Segments: p.segments, Reason: p.reason, WholeFrom: p.wholeFrom,
	}
	for _, segment := range p.segments {
		found, err := s.segment(ctx, q, segment)
		if err != nil {
			return Curve{}, err
		}
		if q.Gaps {
			found = q.withGaps(found, segment, p.wholeFrom, now)
		}
		c.Rollups = append(c.Rollups, found...)
	}
	if q.Newest {
		slices.Reverse(c.Rollups)
	}
	c.Cost = meter.Cost()
	return c, nil
}

// Total is what the whole curve says together.
func (c *Curve) Total() Total {
	t := Total{Fold: *rollup.NewFold(nil)}
	for _, r := range c.Rollups {
		if !r.Gap {
			t.add(r)
		}
	}
	return t
}

func (q Chart) plan(now model.Time) (plan, error) {
	if err := q.check(); err != nil {
		return plan{}, err
	}
	c := choice{
		ladder: q.ladder(), now: now, stitched: q.Stitched,
		from: max(q.From, model.MinTime), to: min(q.To, model.MaxTime+1),
		points: cmp.Or(q.Limit, DefaultPoints),
	}
	switch {
	case q.Cursor != "":
		return plan{}, ErrForeignCursor
	case c.from >= c.to:
		return plan{}, fmt.Errorf("from %s to %s: %w", c.from, c.to, ErrRange)
	case q.Unit != 0:
		if err := q.checkTier(); err != nil {
			return plan{}, err
		}
		c.ladder.Tiers, c.asked = []tier.Tier{c.find(q.Unit)}, true
	}
	return c.choose()
}

// segment reads the rollups of one segment, oldest first.
func (s *Service) segment(ctx context.Context, q Chart, of Segment) (found []Rollup, err error) {
	part := q.Rollups
	part.Unit, part.From, part.To, part.Newest, part.Limit = of.Unit, of.From, of.To, false, 0
	for r, err := range s.EachRollup(ctx, part) {
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}
