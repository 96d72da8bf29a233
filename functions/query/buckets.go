package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// chartSpan is what a chart shows where the request says nothing of a range.
const chartSpan = 30 * tier.Day24

var (
	rollupParams = with(pagingParams, "last", "with")
	chartParams  = []string{"from", "to", "last", "points", "tier", "stitched", "gaps", "order", "stream", "with", "consistent"}
)

func (h *Handler) rollups(ctx context.Context, asked target, given params) (any, error) {
	q, err := h.buckets(asked, given)
	if err != nil {
		return nil, err
	}
	if q.Limit, err = given.limit(); err != nil {
		return nil, err
	}
	q.Cursor = given.text("cursor")
	page, err := h.Query.Rollups(ctx, q)
	if err != nil {
		return nil, err
	}
	return h.ofBuckets(envelope.RollupsOf(page), q.Unit, q.To, q.Consistent), nil
}

// buckets is what rollups and tops of a tier have in common.
func (h *Handler) buckets(asked target, given params) (q query.Rollups, err error) {
	if q, err = series(asked, given); err != nil {
		return q, err
	}
	if q.Unit, err = asked.unit(asked.tier); err != nil {
		return q, err
	}
	if q.From, q.To, err = given.between(); err != nil {
		return q, err
	}
	span, err := given.last()
	if span > 0 {
		q.From, q.To = query.Last(span, q.Unit, h.Query.Now())
	}
	return q, err
}

// series is what is read together, and how.
func series(asked target, given params) (q query.Rollups, err error) {
	q = query.Rollups{Series: asked.series, With: asked.with, Subjects: given.all("with")}
	if streams := given.all("stream"); len(streams) > 1 {
		q.Streams = streams[1:]
	}
	if q.Newest, err = given.newest(oldestFirst); err != nil {
		return q, err
	}
	q.Consistent, err = given.consistent()
	return q, err
}

// chart answers the rollups of a range in the tier that suits it.
func (h *Handler) chart(ctx context.Context, asked target, given params) (any, error) {
	q, err := h.chartQuery(asked, given)
	if err != nil {
		return nil, err
	}
	curve, err := h.Query.Chart(ctx, q)
	if err != nil {
		return nil, err
	}
	last := curve.Segments[len(curve.Segments)-1].Unit
	return h.ofBuckets(envelope.ChartOf(curve), last, curve.To, q.Consistent), nil
}

func (h *Handler) chartQuery(asked target, given params) (q query.Chart, err error) {
	if q.Rollups, err = series(asked, given); err != nil {
		return q, err
	}
	if name := given.text("tier"); name != "" {
		if q.Unit, err = asked.unit(name); err != nil {
			return q, err
		}
	}
	if q.From, q.To, err = h.chartRange(given); err != nil {
		return q, err
	}
	if q.Limit, err = given.points(); err != nil {
		return q, err
	}
	if q.Stitched, err = given.boolean("stitched"); err != nil {
		return q, err
	}
	q.Gaps, err = given.boolean("gaps")
	return q, err
}

// chartRange is the range of a chart, whose ends are never open: up to now, from
// chartSpan before that.
func (h *Handler) chartRange(given params) (from, to model.Time, err error) {
	if from, to, err = given.between(); err != nil {
		return from, to, err
	}
	span, err := given.last()
	if to > model.MaxTime {
		to = h.Query.Now() + 1
	}
	switch {
	case span > 0:
		from = to.Add(-span)
	case from == model.MinTime:
		from = to.Add(-chartSpan)
	}
	return from, to, err
}

// unit is the tier of that name, which every kind asked for must have.
func (t target) unit(name string) (tier.Unit, error) {
	unit, err := tier.ParseUnit(name)
	for _, k := range append([]*catalog.Kind{t.series.Kind}, t.with...) {
		if _, _, ok := k.Ladder.Find(unit); err != nil || !ok {
			return 0, noTier(name, k.Ladder)
		}
	}
	return unit, nil
}

// kept is an answer that may be shown again for a while.
type kept struct {
	view  any
	fresh envelope.Freshness
}

// ofBuckets says how long what buckets up to an instant say may be shown again: those
// that are closed change no more but by what comes late. Who asks for consistent reads
// wants none of it.
func (h *Handler) ofBuckets(view any, unit tier.Unit, to model.Time, consistent bool) any {
	switch last := unit.BucketOf(max(to, model.MinTime+1) - 1); {
	case consistent:
		return view
	case last.End > h.Query.Now():
		return kept{view, envelope.Growing}
	}
	return kept{view, envelope.Settled}
}
