package query

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
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
	Cost  model.ReadCost
}

// maxTotalBuckets is how many buckets one total merges.
const maxTotalBuckets = 20_000

// RangeTotal reads complete buckets of the coarsest tiers, and at the ends of the range finer tiers and at
// last raw events, so that it reads little and counts no event outside. Unit, Limit, Newest and Cursor are
// not used. Parts that are not known are in Missing, and the total is then not exact. The error is
// ErrTooMany if the range has too many buckets, and ErrOrder for a kind whose events have no times.
func (s *Service) RangeTotal(ctx context.Context, q Rollups) (RangeTotal, error) {
	q.Limit = 0
	q.Newest = false
	q.Cursor = ""
	if err := q.check(); err != nil {
		return RangeTotal{}, err
	}
	if err := q.checkTimes(); err != nil {
		return RangeTotal{}, err
	}
	ctx, meter := model.WithReadMeter(ctx)
	progress, err := s.progress(ctx, q.series())
	if err != nil {
		return RangeTotal{}, err
	}
	c := cutter{policy: q.commonPolicy(), missing: func(unit tier.Unit, from, to model.Time) ([]Segment, error) {
		return s.missing(ctx, q, unit, from, to)
	}}
	if err := c.cut(len(c.policy.Tiers)-1, max(q.From, model.MinTime), min(q.To, model.MaxTime+1)); err != nil {
		return RangeTotal{}, fmt.Errorf("total of %s: %w", q.Series, err)
	}
	t := RangeTotal{From: q.From, To: q.To, Parts: c.parts}
	t.Progress = progress
	t.Fold = *rollup.NewFold(q.specForReading())
	for _, part := range c.parts {
		unreadable, err := s.addPart(ctx, &t.Total, q, part)
		if err != nil {
			return RangeTotal{}, fmt.Errorf("total of %s: %w", q.Series, err)
		}
		c.lost = append(c.lost, unreadable...)
	}
	if len(c.parts) > 0 {
		if t.Before, err = s.readingsBefore(ctx, q, c.parts[0].Unit, c.parts[0].From); err != nil {
			return RangeTotal{}, fmt.Errorf("total of %s: %w", q.Series, err)
		}
	}
	t.lack(union(c.lost))
	t.Open = s.Now() < q.To
	t.Cost = meter.Cost()
	return t, nil
}

// checkTimes returns ErrOrder if the events of a kind are ordered by a field and have no times.
func (q Rollups) checkTimes() error {
	for _, k := range q.kinds() {
		if k.OrderBy != "" {
			return fmt.Errorf("%w: events of %s are ordered by %s and have no rollups: read or count the events",
				ErrOrder, k.Name, k.OrderBy)
		}
	}
	return nil
}

// addPart adds the buckets, or the events, of one part. It returns the buckets that cannot be read.
func (s *Service) addPart(ctx context.Context, t *Total, q Rollups, part Segment,
) (unreadable []Segment, _ error) {
	q.Unit = part.Unit
	q.From = part.From
	q.To = part.To
	if part.Unit == 0 {
		return nil, s.addEvents(ctx, t, q)
	}
	rows, err := s.pagerOfRollups(ctx, q)
	if err != nil {
		return nil, err
	}
	for r, err := range s.each(ctx, q, rows) {
		switch {
		case err != nil:
			return nil, err
		case r.Err != nil:
			unreadable = append(unreadable, r.unreadable())
			continue
		}
		if t.add(r); t.Buckets > maxTotalBuckets {
			return nil, fmt.Errorf("%w (%d)", ErrTooMany, maxTotalBuckets)
		}
	}
	return unreadable, nil
}

// addEvents adds the events of each series, or the sessions that begin in the range, as a bucket of its own.
func (s *Service) addEvents(ctx context.Context, t *Total, q Rollups) error {
	for _, series := range q.series() {
		kind := q.findKind(series.Kind)
		row := rollup.Row{Key: rollup.Key{Series: series, Start: q.From}, Fold: *rollup.NewFold(kind.Spec())}
		add := s.foldEvents
		if kind.Sessions != nil {
			add = s.foldSessions
		}
		if err := add(ctx, &row.Fold, kind, series, q); err != nil {
			return err
		}
		if row.Children > 0 {
			row.Summary = q.ofSeries(row.Summary, series)
			group := []rollup.Row{row}
			t.add(Rollup{Kinds: q.eventsByKind(group), Properties: q.properties(), Fold: row.Fold})
		}
	}
	return nil
}

func (s *Service) foldEvents(
	ctx context.Context, fold *rollup.Fold, kind *catalog.Kind, series model.Series, q Rollups,
) error {
	now := s.Now()
	span := storage.Range{From: q.From, To: q.To, Consistent: q.Consistent}
	return storage.VisitEvents(ctx, s.Store, kind.SourceSeries(series), span, shardReads, func(e *model.Event) {
		if !expired(e.ExpiresAt, now) {
			fold.AddEvent(e)
		}
	})
}

// foldSessions folds the sessions that begin in a range within buckets of the finest tier. They end where the
// sessions of the rows of these buckets end.
func (s *Service) foldSessions(
	ctx context.Context, fold *rollup.Fold, kind *catalog.Kind, series model.Series, q Rollups,
) error {
	unit := kind.Retention.Finest().Unit
	folds := sessions.New(kind, series, 0, unit.BucketAt(q.From).Start, unit.BucketAt(q.To-1).End)
	folds.Begin(q.From, q.To)
	if err := folds.Read(ctx, s.Store, kind.SourceSeries(series), q.Consistent); err != nil {
		return err
	}
	for _, f := range folds.Folds() {
		if f.Summary.Events() > 0 || f.Unreadable > 0 {
			fold.AddRow(&rollup.Row{Fold: *f.Fold})
		}
	}
	return nil
}

// cutter cuts a range into parts that can be read completely.
type cutter struct {
	policy  tier.Policy
	missing func(unit tier.Unit, from, to model.Time) ([]Segment, error) // see Service.missing
	parts   []Segment
	lost    []Segment // not known
}

// cut adds the parts of [from, to), which are read from a level and finer ones; level -1 is the events.
func (c *cutter) cut(level int, from, to model.Time) error {
	if from >= to {
		return nil
	}
	first, end := from, to
	var unit tier.Unit
	if level >= 0 {
		unit = c.policy.Tiers[level].Unit
		first = firstStart(unit, from)
		if to <= model.MaxTime {
			end = unit.BucketAt(to).Start
		}
	}
	if first >= end {
		return c.cut(level-1, from, to)
	}
	if err := c.cut(level-1, from, first); err != nil {
		return err
	}
	lost, err := c.missing(unit, first, end)
	if err != nil {
		return err
	}
	for _, part := range append(lost, Segment{From: end, To: end}) {
		c.parts = addSegment(c.parts, Segment{Unit: unit, From: first, To: part.From})
		if err := c.lose(level, part); err != nil {
			return err
		}
		first = part.To
	}
	return c.cut(level-1, end, to)
}

// lose adds a part that the rows of a level do not tell: it is read from a finer level that reaches further
// back, or else it is lost. Of a kind without tiers, events that are left of it are counted too.
func (c *cutter) lose(level int, part Segment) error {
	switch {
	case level > eventLevel && c.reachesBack(level, part):
		return c.cut(level-1, part.From, part.To)
	case len(c.policy.Tiers) == 0:
		c.parts = addSegment(c.parts, part)
	}
	c.lost = addSegment(c.lost, part)
	return nil
}

// reachesBack reports whether a finer level may tell what a level does not: it is kept longer, or
// the level began later.
func (c *cutter) reachesBack(level int, part Segment) bool {
	t := c.policy.Tiers[level]
	raw := c.policy.LeastRawRetention()
	longer := raw == tier.Forever || t.LeastRetention() != tier.Forever && raw > t.LeastRetention()
	for _, finer := range c.policy.Tiers[:level] {
		longer = longer || finer.LeastRetention() == tier.Forever || finer.LeastRetention() > t.LeastRetention()
	}
	return part.From < t.From || longer
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
