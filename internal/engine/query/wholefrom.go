package query

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxProven is how many buckets of the finest tier are read to prove that no event of a range has expired.
const maxProven = 100

// WholeFrom returns the time from which on a history has every event of its range: earlier ones may have
// expired. It is MinTime if none of the range can have, and for a kind that is ordered by a field.
func (s *Service) WholeFrom(ctx context.Context, q History) (model.Time, error) {
	if err := q.check(s.Now()); err != nil {
		return model.MinTime, err
	}
	from, to := upToNow(q.Last, q.From, q.To, s.Now())
	e := existence{store: s.Store, kind: q.Kind, series: q.unsharded(), now: s.Now()}
	e.consistent = q.Consistent
	byAge := e.wholeFrom(eventLevel)
	if q.Kind.OrderBy != "" || from >= byAge {
		return model.MinTime, nil
	}
	first, listed, err := firstListed(ctx, s.Store, q.Kind, e.series)
	from, to = max(from, first), min(to, byAge)
	if err != nil || from >= to {
		return model.MinTime, err
	}
	tiers := q.Kind.Retention.Tiers
	switch {
	case len(tiers) == 0:
		return to, nil
	case listed && tiers[0].Unit.CountStarts(from, to) > maxProven:
		empty, err := s.provenEmpty(ctx, q.Series, from, to)
		if err != nil || !empty {
			return to, err
		}
		return model.MinTime, nil
	}
	found, err := e.look(ctx, eventLevel, from, to)
	lost := within(found.unknown, Segment{From: from, To: to})
	if err != nil || len(lost) == 0 {
		return model.MinTime, err
	}
	return lost[len(lost)-1].To, nil
}

// provenEmpty reports whether the coarsest tier proves that a range had no events, by one bucket of it.
func (s *Service) provenEmpty(ctx context.Context, series Series, from, to model.Time) (bool, error) {
	tiers := series.Kind.Retention.Tiers
	q := Rollups{Series: series, Unit: tiers[len(tiers)-1].Unit, To: to, Limit: 1}
	q.From = q.Unit.BucketAt(from).Start
	found, err := s.AllRollups(ctx, q)
	return err == nil && len(found.Rollups) == 0 && len(found.Missing) == 0, err
}
