package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
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
		if t.Buckets == 0 || !q.overlaps(t.Period) {
			continue
		}
		page.Rollups = append(page.Rollups, q.rollup(t))
	}
	if q.Newest {
		slices.Reverse(page.Rollups)
	}
	return page, nil
}

// rollup returns the rollup of a period.
func (q Local) rollup(t ZonedTotal) Rollup {
	return Rollup{
		Series: q.commonSeries(), Kinds: t.Kinds, Open: t.Open, Partial: t.Partial, Before: t.Before, Fold: t.Fold,
		Properties: t.Properties,
		Bucket:     tier.Bucket{Start: t.Period.Start, End: t.Period.End},
		Local:      LocalPeriod{Zone: t.Zone, Unit: q.Unit, Label: t.Period.Label},
	}
}

// AllLocal yields what LocalRollups returns, for a range of any length, and the periods of which nothing is
// known, with an Err. A period of which a part is not known has a rollup that is not exact. It yields the
// newest period first, and reads q.Limit periods at once, 0 meaning 400. An error comes last.
func (s *Service) AllLocal(ctx context.Context, q Local) iter.Seq2[Rollup, error] {
	return func(yield func(Rollup, error) bool) {
		if err := q.check(); err != nil {
			yield(Rollup{}, err)
			return
		}
		end := min(q.To, model.MaxTime)
		for rest := q.periods(q.Zone, end); len(rest) > 0; {
			part := rest[max(0, len(rest)-cmp.Or(q.Limit, maxPeriods)):]
			inUTC := func(zoned []times.Period) []times.Period {
				older := times.Periods(time.UTC, q.Unit, zoned[0].Start, zoned[len(zoned)-1].End, len(zoned)+2)
				older[len(older)-1].End = min(older[len(older)-1].End, part[len(part)-1].End)
				return older
			}
			totals, err := s.ZonedTotals(ctx, q.Rollups, q.Zone, part, inUTC)
			if err != nil {
				yield(Rollup{}, err)
				return
			}
			for _, t := range slices.Backward(totals) {
				if t.Buckets == 0 && len(t.Missing) == 0 || !q.overlaps(t.Period) {
					continue
				}
				day := q.rollup(t)
				if t.Buckets == 0 {
					day.Err = errors.New(t.Missing[0].Reason())
				}
				if !yield(day, nil) {
					return
				}
			}
			if first := totals[0]; first.Zone != q.Zone.String() {
				q.Zone = time.UTC
				rest = q.periods(time.UTC, first.Period.Start)
			} else {
				rest = rest[:len(rest)-len(part)]
			}
		}
	}
}

// overlaps reports whether a period has times of the range.
func (q Local) overlaps(p times.Period) bool { return q.From < p.End && p.Start < q.To }

// periods returns all periods of a zone from the start of the range to its end.
func (q Local) periods(zone *time.Location, end model.Time) []times.Period {
	return times.Periods(zone, q.Unit, max(q.From, model.MinTime), end, math.MaxInt)
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
	first := len(all) // the first period of the zone that can be cut with all later ones
	for first > 0 && all[first-1].cut() {
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

// cut reports whether the period could be cut in its zone. A row that cannot be read is no reason for UTC.
func (t ZonedTotal) cut() bool {
	return !slices.ContainsFunc(t.Missing, func(m Segment) bool { return m.Err == nil })
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
