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
	from, to := upToNow(q.Last, q.From, q.To, s.Now())
	byAge := eventsCompleteFrom(q.Kind.Retention, s.Now()).Add(q.Kind.SessionGap())
	if q.Kind.OrderBy != "" || from >= byAge {
		return model.MinTime, nil
	}
	first, listed, err := firstListed(ctx, s.Store, q.Kind, q.unsharded())
	from, to = max(from, first), min(to, byAge)
	if err != nil || from >= to {
		return model.MinTime, err
	}
	tiers := q.Kind.Retention.Tiers
	if len(tiers) == 0 || listed && tiers[0].Unit.CountStarts(from, to) > maxProven {
		return to, nil
	}
	lost, err := s.missing(ctx, Rollups{Series: q.Series, Consistent: q.Consistent}, 0, from, to)
	if err != nil || len(lost) == 0 {
		return model.MinTime, err
	}
	return lost[len(lost)-1].To, nil
}
