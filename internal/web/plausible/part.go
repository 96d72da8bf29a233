package plausible

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// partMetrics are the figures of the events with some values of a dimension, by the kind of the events: what
// rows have as details. Visitors of what a visit has are those whose visit began in the range.
var partMetrics = map[string]map[string]func(*rollup.Part) (value float64, exact bool){
	views: {"visitors": partVisitors},
	visits: {
		"visitors":        partVisitors,
		"views_per_visit": partAverage(webfield.Views, 1, 2),
		"bounce_rate":     partAverage(webfield.Bounce, 100, 0),
		"visit_duration":  partAverage(webfield.Duration, 0.001, 0),
	},
}

func partVisitors(p *rollup.Part) (float64, bool) {
	n, exact, has := p.Distinct(webfield.Visitor)
	return float64(n), exact || !has // no event has a visitor: 0, exactly
}

func partAverage(measure string, factor float64, digits int) func(*rollup.Part) (float64, bool) {
	return func(p *rollup.Part) (float64, bool) {
		sum, values, _ := p.Sum(measure)
		return mean(sum.Float64(), values, factor, digits), true
	}
}

// partMetrics returns the metrics that the dimension of the query has by its details; none if it declares
// none.
func (r *run) partMetrics() []string {
	if !r.grouped.isField() {
		return nil
	}
	of := r.grouped.of[0]
	kind, _ := r.kinds.Kind(of.kind)
	detailed := func(d rollup.DimensionSpec) bool { return d.Name == of.fields[0] && d.Detail > 0 }
	if kind == nil || !slices.ContainsFunc(kind.Dimensions, detailed) {
		return nil
	}
	if r.goal != nil {
		return slices.Sorted(maps.Keys(conversions))
	}
	return slices.Sorted(maps.Keys(partMetrics[of.kind]))
}

// partMetric returns what computes a metric of partMetrics.
func (r *run) partMetric(metric string) func(*rollup.Part) (value float64, exact bool) {
	if r.goal == nil {
		return partMetrics[r.grouped.of[0].kind][metric]
	}
	return func(p *rollup.Part) (float64, bool) { return conversions[metric](*r.goal, p), true }
}

// estimates reports whether a figure of the query may be an estimate, or not known, although events have it.
// Rollups lack the properties that page views have.
func (r *run) estimates() bool {
	has := r.partMetrics()
	estimated := func(m string) bool { return slices.Contains(has, m) }
	return r.pair != nil || strings.HasPrefix(r.by, properties) ||
		r.by != "" && slices.ContainsFunc(r.Metrics, estimated)
}

// partFigure returns a metric of the values that pass. rest is whether values that are not stored pass. most
// is how many events have one of the values, at most.
func (r *run) partFigure(
	of summaries, metric string, passes func(string) bool, rest bool, most int64,
) Figure {
	source := r.grouped.of[0]
	stored := func(value string) bool { return passes(r.shown(value)) }
	part, known := of[source.kind].Part(source.fields[0], stored, rest, passes(r.shown("")))
	if !known && most > 0 {
		r.noteMetric(metric, "null where rollups have the figure of the most frequent values alone")
		return notKnown
	}
	value, exact := r.partMetric(metric)(&part)
	if !exact {
		r.noteMetric(metric, "visitors of a value beyond 64 are estimated, with a standard error of 4.6 %")
	}
	return Figure{Value: value}
}
