package main

import (
	"context"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// chartSpan is the default range of a chart.
const chartSpan = 30 * tier.Day24

// rollups returns a page of rollups of one tier.
func (h *Handler) rollups(ctx context.Context, res resource, args params) (any, error) {
	if _, err := times.ParseUnit(res.tier); args.values.Has("zone") || err == nil && args.zone != time.UTC {
		return h.localRollups(ctx, res, args)
	}
	q, err := h.buckets(res, args)
	if err != nil {
		return nil, err
	}
	q.Limit, q.Cursor = args.limit(), args.text("cursor")
	if args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.Rollups(ctx, q)
	if err != nil {
		return nil, err
	}
	result := views.NewRollups(page)
	if result.OtherStreams, err = h.otherStreams(ctx, res, args, len(page.Rollups) > 0); err != nil {
		return nil, err
	}
	return h.cacheByBuckets(result, q.Unit, q.To, q.Consistent), nil
}

// findZone returns the time zone of a request: the one that it names, otherwise the one in the
// subject's profile. Minutes and hours without dates need none.
func (h *Handler) findZone(ctx context.Context, res resource, args params) (*time.Location, error) {
	if args.values.Has("zone") {
		zone, err := times.Zone(args.text("zone"))
		if err != nil {
			err = problemBadZone.New("zone: %v", err)
		}
		return zone, err
	}
	if unit, err := tier.ParseUnit(res.tier); err == nil && unit.FinerThan(tier.Day) &&
		!args.values.Has("from") && !args.values.Has("to") {
		return time.UTC, nil
	}
	return h.Query.Zone(ctx, res.Subject())
}

// localRollups returns a page of the rollups of the days, weeks or months of a time zone. The position
// of a page is the time at which the one before ended.
func (h *Handler) localRollups(ctx context.Context, res resource, args params) (any, error) {
	unit, err := times.ParseUnit(res.tier)
	if err != nil {
		return nil, problemUnknownTier.New("%v", err)
	}
	q := query.Local{Zone: args.zone, Unit: unit, Rollups: rollupSeries(res, args)}
	q.From, q.To = h.chartRange(args)
	limit := args.limitOr(maxLimit)
	scope := []string{res.series.String(), res.tier, args.zone.String(), args.text("from"), args.text("to"),
		args.text("last"), strconv.FormatBool(q.Newest)}
	past, err := openCursor[model.Time](h, args, scope)
	switch {
	case err != nil:
		return nil, err
	case past != 0 && q.Newest:
		q.To = past
	case past != 0:
		q.From = past
	}
	page, err := h.Query.LocalRollups(ctx, q)
	if err != nil {
		return nil, err
	}
	next := model.Time(0)
	if all := page.Rollups; len(all) > limit {
		page.Rollups = all[:limit]
		if next = all[limit-1].Bucket.End; q.Newest {
			next = all[limit-1].Bucket.Start
		}
	}
	result := views.NewRollups(page)
	result.Next, err = sealCursor(h, next, scope)
	return h.cacheByBuckets(result, tier.Minute, q.To, q.Consistent), err
}

// buckets returns the part of a query that rollups and most frequent values share.
func (h *Handler) buckets(res resource, args params) (q query.Rollups, err error) {
	if q = rollupSeries(res, args); args.err() != nil {
		return q, args.err()
	}
	if q.Unit, err = res.unit(res.tier); err != nil {
		return q, err
	}
	q.From, q.To = args.timeRange()
	if span := args.last(); span > 0 && args.err() == nil {
		q.From, q.To = query.Last(span, q.Unit, h.Query.Now())
	}
	return q, args.err()
}

// rollupSeries returns the series to merge, and the order and consistency of the read.
func rollupSeries(res resource, args params) query.Rollups {
	q := query.Rollups{Series: res.series, With: res.with, Subjects: args.all("with"),
		Newest: args.newest(oldestFirst), Consistent: args.consistent()}
	if streams := args.all("stream"); len(streams) > 1 {
		q.Streams = streams[1:]
	}
	return q
}

// chart returns the rollups of a range in the tier that suits it.
func (h *Handler) chart(ctx context.Context, res resource, args params) (any, error) {
	q, err := h.chartQuery(res, args)
	if err != nil {
		return nil, err
	}
	curve, err := h.Query.Chart(ctx, q)
	if err != nil {
		return nil, err
	}
	last := curve.Segments[len(curve.Segments)-1].Unit
	result := views.NewChart(curve)
	if result.OtherStreams, err = h.otherStreams(ctx, res, args, len(curve.Rollups) > 0); err != nil {
		return nil, err
	}
	return h.cacheByBuckets(result, last, curve.To, q.Consistent), nil
}

func (h *Handler) chartQuery(res resource, args params) (q query.Chart, err error) {
	if q.Rollups = rollupSeries(res, args); args.err() != nil {
		return q, args.err()
	}
	if args.zone != time.UTC {
		q.Zone = args.zone
	}
	if name := args.text("tier"); name != "" {
		if q.Unit, err = res.unit(name); err != nil {
			return q, err
		}
	}
	q.From, q.To = h.chartRange(args)
	q.Limit = args.points()
	q.Stitched = args.boolean("stitched")
	q.Gaps = args.boolean("gaps")
	return q, args.err()
}

// chartRange returns the range of a chart. By default it ends now and begins chartSpan before its end; if it
// begins later, it ends chartSpan after its beginning.
func (h *Handler) chartRange(args params) (from, to model.Time) {
	from, to = args.timeRange()
	span := args.last()
	if to > model.MaxTime {
		if to = h.Query.Now() + 1; from >= to {
			to = from.Add(chartSpan)
		}
	}
	switch {
	case span > 0:
		from = to.Add(-span)
	case from == model.MinTime:
		from = to.Add(-chartSpan)
	}
	return from, to
}

// parseSpan returns the exact range of a request: from and to, or the span before now.
func (h *Handler) parseSpan(args params) (from, to model.Time) {
	if span := args.last(); span > 0 {
		return h.Query.Now().Add(-span), h.Query.Now() + 1
	}
	return args.timeRange()
}

// unit returns the tier with this name. Every kind that is read must have it.
func (r resource) unit(name string) (tier.Unit, error) {
	unit, err := tier.ParseUnit(name)
	for _, k := range append([]*catalog.Kind{r.series.Kind}, r.with...) {
		if _, _, ok := k.Retention.Find(unit); err != nil || !ok {
			return 0, unknownTier(name, k.Retention)
		}
	}
	return unit, nil
}

// cacheable is a result that clients may cache for a while. The zero maxAge is for what the next write
// changes.
type cacheable struct {
	value  any
	maxAge httpapi.MaxAge
	zone   string // of its days, if it may have some
	// hideCost is set for a list without the subjects of other owners: its cost would tell how many they are.
	hideCost bool
}

// asCacheable returns the result of an operation, which clients may not cache unless it says so itself.
func asCacheable(result any) cacheable {
	c, ok := result.(cacheable)
	if !ok {
		c.value = result
	}
	return c
}

// cacheByBuckets makes the rollups of buckets before an instant cacheable: closed buckets
// for longer, since only late events and later changes alter them. The result of a
// consistent read is not cacheable.
func (h *Handler) cacheByBuckets(result any, unit tier.Unit, to model.Time, consistent bool) any {
	switch last := unit.BucketAt(max(to, model.MinTime+1) - 1); {
	case consistent:
		return result
	case last.End > h.Query.Now():
		return cacheable{value: result, maxAge: httpapi.MaxAgeOpenBucket}
	}
	return cacheable{value: result, maxAge: httpapi.MaxAgeClosedBuckets}
}

// total returns the summary of any range of time.
func (h *Handler) total(ctx context.Context, res resource, args params) (any, error) {
	q := rollupSeries(res, args)
	q.From, q.To = h.parseSpan(args)
	if args.err() != nil {
		return nil, args.err()
	}
	t, err := h.Query.RangeTotal(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.cacheByBuckets(views.NewTotal(t), tier.Minute, q.To, q.Consistent), nil
}

// The defaults of most frequent values, and the number of buckets that are merged.
const (
	defaultTop     = 10
	defaultTopTier = "day"
	maxBuckets     = 1000
)

// top returns the most frequent values of a dimension over a range.
func (h *Handler) top(ctx context.Context, res resource, args params) (any, error) {
	q, err := h.topQuery(res, args)
	if err != nil {
		return nil, err
	}
	values, total, err := h.Query.Top(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.cacheByBuckets(views.NewTop(q, values, total), q.Unit, q.To, q.Consistent), nil
}

func (h *Handler) topQuery(res resource, args params) (q query.Top, err error) {
	q.Dimension = res.Values["dimension"]
	switch res.tier = args.text("tier"); {
	case res.tier == "" && args.zone != time.UTC:
		q.Rollups = rollupSeries(res, args)
		q.From, q.To = h.parseSpan(args)
		q.Values = args.limitOr(defaultTop)
		return q, args.err()
	case res.tier == "":
		res.tier = defaultTopTier
	}
	if q.Rollups, err = h.buckets(res, args); err != nil {
		return q, err
	}
	q.Limit, q.Values = maxBuckets, args.limitOr(defaultTop)
	return q, args.err()
}
