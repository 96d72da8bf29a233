package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Local requests the totals of the days, weeks or months of a time zone that overlap a range.
// Of Rollups it uses the series, the range, the direction and the consistency.
type Local struct {
	Rollups
	Zone *time.Location
	Unit times.Unit
}

// LocalPeriod names a period of a time zone; the zero value is a bucket, which is in UTC.
type LocalPeriod struct {
	Zone  string // "UTC" where what is stored cannot be cut at the days of the zone
	Unit  times.Unit
	Label string // 2026-03-29
}

// Zone returns the time zone of a subject: that in the field timezone of its profile, otherwise UTC. The
// error wraps times.ErrZone if the field has another text.
func (s *Service) Zone(ctx context.Context, subject model.Subject) (*time.Location, error) {
	p, err := s.Profile(ctx, subject, false)
	if p == nil || err != nil {
		return time.UTC, err
	}
	name, _ := p.Attrs.Get(times.ZoneField)
	zone, err := times.Zone(cmp.Or(name.Text, "UTC"))
	if err != nil {
		return nil, fmt.Errorf("the profile of %s has %s: %w", subject, times.ZoneField, err)
	}
	return zone, nil
}

// maxPeriods is how many periods one request may have.
const maxPeriods = 400

// localReads is how many totals are read at once.
const localReads = 8

// LocalRollups returns one rollup for each period with events. Periods follow each other without a gap, so
// that each event is in exactly one. Where nothing that is stored can be cut at the midnights of the zone, a
// period and earlier ones are periods of UTC; the last of these ends where the first local one begins. What
// cannot be known even so is in Missing, and a rollup of a part of a period is not exact. The error is
// ErrTooMany if the range has more than 400 periods.
func (s *Service) LocalRollups(ctx context.Context, q Local) (page RollupPage, err error) {
	if err := q.check(); err != nil {
		return page, err
	}
	q.From, q.To = max(q.From, model.MinTime), min(q.To, model.MaxTime)
	periods := times.Periods(q.Zone, q.Unit, q.From, q.To, maxPeriods+1)
	if len(periods) > maxPeriods {
		return page, fmt.Errorf("%ss of %s: %w (%d)", q.Unit, q.Series, ErrTooMany, maxPeriods)
	}
	inUTC := func(zoned []times.Period) []times.Period {
		return times.Periods(time.UTC, q.Unit, zoned[0].Start, zoned[len(zoned)-1].End, maxPeriods)
	}
	totals, err := s.ZonedTotals(ctx, q.Rollups, q.Zone, periods, inUTC)
	if err != nil {
		return page, err
	}
	for _, t := range totals {
		page.Missing = union(append(page.Missing, within(t.Missing, Segment{From: q.From, To: q.To})...))
		page.Progress = t.Progress
		if t.Buckets == 0 || t.Period.End <= q.From || t.Period.Start >= q.To {
			continue
		}
		page.Rollups = append(page.Rollups, Rollup{
			Series: q.commonSeries(), Kinds: t.Kinds, Open: t.Open, Partial: t.Partial, Before: t.Before, Fold: t.Fold,
			Bucket: tier.Bucket{Start: t.Period.Start, End: t.Period.End},
			Local:  LocalPeriod{Zone: t.Zone, Unit: q.Unit, Label: t.Period.Label},
		})
	}
	if q.Newest {
		slices.Reverse(page.Rollups)
	}
	return page, nil
}

// ZonedTotal is the total of a period of a time zone, or of UTC where it could not be cut in the zone.
type ZonedTotal struct {
	times.Period
	Zone string
	RangeTotal
}

// ZonedTotals returns the totals of periods of a zone, which follow each other. Where one cannot be cut, it
// and all earlier ones are replaced by the periods of UTC that utc returns for them. The last of these ends
// where the first local one begins. The range of q is not used.
func (s *Service) ZonedTotals(
	ctx context.Context, q Rollups, zone *time.Location, periods []times.Period,
	utc func([]times.Period) []times.Period,
) ([]ZonedTotal, error) {
	all, err := s.periodTotals(ctx, q, zone, periods)
	if err != nil || zone.String() == time.UTC.String() {
		return all, err
	}
	first := len(all) // the first period of the zone that is whole with all later ones
	for first > 0 && len(all[first-1].Missing) == 0 {
		first--
	}
	if first == 0 {
		return all, nil
	}
	older := utc(periods[:first])
	if first < len(periods) {
		older[len(older)-1].End = periods[first].Start
	}
	totals, err := s.periodTotals(ctx, q, time.UTC, older)
	return append(totals, all[first:]...), err
}

// periodTotals returns the total of each period.
func (s *Service) periodTotals(
	ctx context.Context, q Rollups, zone *time.Location, periods []times.Period,
) ([]ZonedTotal, error) {
	all := make([]ZonedTotal, len(periods))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(localReads)
	for i, p := range periods {
		reads.Go(func() (err error) {
			part := q
			part.From, part.To = p.Start, p.End
			total, err := s.RangeTotal(ctx, part)
			all[i] = ZonedTotal{Period: p, Zone: zone.String(), RangeTotal: total}
			return err
		})
	}
	return all, reads.Wait()
}
