package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Local requests the totals of the days, weeks or months of a time zone that overlap a range.
// Of Rollups it uses the series, the range, the direction and the consistency.
type Local struct {
	Rollups
	Zone *time.Location
	Unit localday.Unit
}

// LocalPeriod names a period of a time zone; the zero value is a bucket, which is in UTC.
type LocalPeriod struct {
	Zone  string // "UTC" where what is stored cannot be cut at the days of the zone
	Unit  localday.Unit
	Label string // 2026-03-29
}

// profileZone is the field of a profile that names the time zone of its subject.
const profileZone = "timezone"

// Zone returns the time zone of a subject: that in the field timezone of its profile, otherwise UTC. The
// error wraps localday.ErrZone if the field has another text.
func (s *Service) Zone(ctx context.Context, subject model.Subject) (*time.Location, error) {
	p, err := s.Profile(ctx, subject, false)
	if p == nil || err != nil {
		return time.UTC, err
	}
	name, _ := p.Attrs.Get(profileZone)
	zone, err := localday.Zone(cmp.Or(name.Text, "UTC"))
	if err != nil {
		return nil, fmt.Errorf("the profile of %s has %s: %w", subject, profileZone, err)
	}
	return zone, nil
}

// maxPeriods is how many periods one request may have.
const maxPeriods = 400

// localReads is how many totals are read at once.
const localReads = 8

// LocalRollups returns one rollup for each period with events. Periods follow each other without a
// gap, so that each event is in exactly one. Where the rows that a period would be cut from have expired,
// it and earlier ones are periods of UTC; the last of these ends where the first local one begins. A period
// that cannot be cut even so is not exact. The error is ErrTooMany if the range has more than 400 periods.
func (s *Service) LocalRollups(ctx context.Context, q Local) (all []Rollup, through *model.Time, err error) {
	if err := q.check(); err != nil {
		return nil, nil, err
	}
	q.From, q.To = max(q.From, model.MinTime), min(q.To, model.MaxTime)
	periods := localday.Periods(q.Zone, q.Unit, q.From, q.To, maxPeriods+1)
	if len(periods) > maxPeriods {
		return nil, nil, fmt.Errorf("%ss of %s: %w (%d)", q.Unit, q.Series, ErrTooMany, maxPeriods)
	}
	totals, err := s.PeriodTotals(ctx, q.Rollups, periods)
	if err != nil {
		return nil, nil, err
	}
	first := len(periods) // the first period of the zone that is whole with all later ones
	for first > 0 && len(totals[first-1].Missing) == 0 {
		first--
	}
	zones := make([]string, len(periods))
	for i := range zones {
		zones[i] = q.Zone.String()
	}
	if first > 0 {
		utc := localday.Periods(time.UTC, q.Unit, periods[0].Start, periods[first-1].End, maxPeriods)
		if first < len(periods) {
			utc[len(utc)-1].End = periods[first].Start
		}
		older, err := s.PeriodTotals(ctx, q.Rollups, utc)
		if err != nil {
			return nil, nil, err
		}
		zones = append(make([]string, len(utc)), zones[first:]...)
		periods, totals = append(utc, periods[first:]...), append(older, totals[first:]...)
		for i := range utc {
			zones[i] = time.UTC.String()
		}
	}
	for i, t := range totals {
		if t.Buckets == 0 || periods[i].End <= q.From || periods[i].Start >= q.To {
			continue
		}
		t.Exact = t.Exact && len(t.Missing) == 0
		all, through = append(all, Rollup{
			Series: q.commonSeries(), Kinds: t.Kinds, Open: t.Open, Partial: t.Partial, Fold: t.Fold,
			Bucket: tier.Bucket{Start: periods[i].Start, End: periods[i].End},
			Local:  LocalPeriod{Zone: zones[i], Unit: q.Unit, Label: periods[i].Label},
		}), t.CompleteThrough
	}
	if q.Newest {
		slices.Reverse(all)
	}
	return all, through, nil
}

// PeriodTotals returns the total of each period. The range of q is not used.
func (s *Service) PeriodTotals(ctx context.Context, q Rollups, periods []localday.Period) ([]RangeTotal, error) {
	all := make([]RangeTotal, len(periods))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(localReads)
	for i, p := range periods {
		reads.Go(func() (err error) {
			part := q
			part.From, part.To = p.Start, p.End
			all[i], err = s.RangeTotal(ctx, part)
			return err
		})
	}
	return all, reads.Wait()
}
