package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// reader returns the function that reads the rollups of the flags.
func (f *rollupsFlags) reader() func(context.Context, *seriesReader) (foundRollups, error) {
	if _, err := times.ParseUnit(f.tier); err == nil && f.times.Zone != nil {
		return f.readLocal
	}
	if f.tier != "" {
		return f.readTier
	}
	return f.readChart
}

// readChart reads the tier that suits the range, and returns why it is this tier.
func (f *rollupsFlags) readChart(ctx context.Context, from *seriesReader) (found foundRollups, err error) {
	q := query.Chart{Rollups: from.rollups, Stitched: f.stitch, Gaps: f.gaps, Zone: f.times.Zone}
	q.Limit, q.Newest = f.limit, f.newest
	if f.limit == 0 {
		q.Limit = math.MaxInt32 // the finest tier that is stored
	}
	if q.From, q.To, err = f.chartRange(ctx, from); err != nil {
		return found, err
	}
	chart, err := from.Chart(ctx, q)
	if errors.Is(err, query.ErrTooLong) {
		err = fmt.Errorf("%w (--limit)", err)
	}
	if err != nil {
		return found, err
	}
	found.Rollups, found.Missing = chart.Rollups, chart.Missing
	found.Progress = chart.Progress
	found.result, found.reason = views.NewChart(chart), chart.Reason
	return found, nil
}

// chartSpan is the range of a chart without flags.
const chartSpan = 30 * tier.Day24

// chartRange returns the range of the flags, otherwise the one up to the newest bucket, so
// that old data which was just loaded is shown. A chart has no open ends.
func (f *rollupsFlags) chartRange(ctx context.Context,
	from *seriesReader) (begin, end model.Time, err error) {
	now := from.Now()
	if begin, end, err = f.timeRange(now); err != nil {
		return 0, 0, err
	}
	if !f.hasRange() {
		if end, err = from.NewestEnd(ctx, from.rollups); err != nil {
			return 0, 0, err
		}
	}
	switch {
	case begin <= now:
		end = min(end, now+1)
	case end > model.MaxTime: // events of clocks that run ahead
		end = begin.Add(chartSpan)
	}
	if begin == model.MinTime {
		begin = end.Add(-chartSpan)
	}
	return begin, end, nil
}

// readLocal reads the days, weeks or months of a time zone.
func (f *rollupsFlags) readLocal(ctx context.Context, from *seriesReader) (found foundRollups, err error) {
	q := query.Local{Rollups: from.rollups, Zone: f.times.Zone}
	if q.Unit, err = times.ParseUnit(f.tier); err != nil {
		return found, err
	}
	if q.From, q.To, err = f.chartRange(ctx, from); err != nil {
		return found, err
	}
	found.RollupPage, err = from.LocalRollups(ctx, q)
	found.result = views.NewRollups(found.RollupPage)
	return found, err
}

// readTier reads the newest buckets of the tier that --tier names.
func (f *rollupsFlags) readTier(ctx context.Context, from *seriesReader) (found foundRollups, err error) {
	q := from.rollups
	if q.Unit, err = tier.ParseUnit(f.tier); err != nil {
		return found, unknownTier(f.tier, from.rollups.Kind)
	}
	q.Newest, q.Limit = true, f.limit
	if q.From, q.To, err = f.bucketRange(q.Unit, from.Now()); err != nil {
		return found, err
	}
	if found.RollupPage, err = from.AllRollups(ctx, q); err != nil {
		return found, err
	}
	if !f.newest {
		slices.Reverse(found.Rollups)
	}
	found.result = views.NewRollups(found.RollupPage)
	return found, nil
}

// unknownTier returns the error for a tier that does not exist, with those that the kind has.
func unknownTier(typed string, kind *catalog.Kind) error {
	has := lists.Map(kind.Retention.Tiers, func(t tier.Tier) string { return t.Unit.String() })
	local := lists.Map(times.Units, func(u times.Unit) string { return string(u) })
	return usagef("--tier %s: %s have %s, and with --zone %s%s", typed, kind.Path, strings.Join(has, ", "),
		strings.Join(local, ", "),
		names.DidYouMean(typed, append(has, local...)))
}
