// Package promapi serves the HTTP API of Prometheus over rollups, so that Grafana's Prometheus
// data source reads them without a plugin. Prometheus's own engine parses and evaluates; this
// package only gives it samples.
//
// A sample is one statistic of one closed bucket, at the end of the bucket: at 14:00 the value
// covers 13:00 to 14:00, so sum_over_time(x{statistic="sum"}[1d]) at midnight is the sum of the
// day. Open buckets have no sample, and a bucket without events ends its series until the next.
package promapi

import (
	"slices"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// The labels of a series. labelMeasure has the name of a measure that is no metric name.
const (
	labelName      = "__name__"
	labelKind      = "kind"
	labelMeasure   = "measure"
	labelStatistic = "statistic"
	labelStream    = "stream"
	labelSubject   = "subject"
)

// The metrics of each bucket of a series that belong to no measure.
const (
	metricEvents          = "tidemark_events"
	metricInexact         = "tidemark_inexact"
	metricCompleteThrough = "tidemark_complete_through_seconds"
	metricProcessed       = "tidemark_processed_through_seconds"
)

var companions = map[string]string{
	metricEvents:          "Events of the bucket.",
	metricInexact:         "1 if the numbers of the bucket may lack a change, else 0.",
	metricCompleteThrough: "Time up to which the buckets of the series are stored, when the query ran.",
	metricProcessed:       "Time up to which changes of the table are processed, when the query ran.",
}

// statistic is a value of labelStatistic. Its value is nil if the bucket has no valid value of the measure.
type statistic struct {
	name  string
	value func(query.Figures) *float64
	only  func(rollup.MeasureSpec) bool // the measures that have it; nil: all
	// percentile: a bucket from before the measure had percentiles has a part of it only.
	percentile bool
}

var statistics = []statistic{
	{name: "avg", value: func(f query.Figures) *float64 { return f.Avg }},
	{name: "count", value: func(f query.Figures) *float64 { return new(float64(f.Count)) }},
	{name: "first", value: func(f query.Figures) *float64 { return float(f.First) }},
	{name: "increase", value: func(f query.Figures) *float64 { return float(f.Increase) }, only: isCounter},
	{name: "invalid", value: func(f query.Figures) *float64 { return new(float64(f.Invalid)) }},
	{name: "last", value: func(f query.Figures) *float64 { return float(f.Last) }},
	{name: "max", value: func(f query.Figures) *float64 { return float(f.Max) }},
	{name: "min", value: func(f query.Figures) *float64 { return float(f.Min) }},
	{name: "p50", value: func(f query.Figures) *float64 { return f.P50 }, percentile: true},
	{name: "p95", value: func(f query.Figures) *float64 { return f.P95 }, percentile: true},
	{name: "p99", value: func(f query.Figures) *float64 { return f.P99 }, percentile: true},
	{name: "rate", value: func(f query.Figures) *float64 { return f.Rate }, only: isCounter},
	{name: "resets", value: func(f query.Figures) *float64 { return whole(f.Resets) }, only: isCounter},
	{name: "stddev", value: func(f query.Figures) *float64 { return f.Stddev }},
	{name: "sum", value: func(f query.Figures) *float64 { return float(f.Sum) }},
	{name: "time_mean", value: func(f query.Figures) *float64 { return f.TimeMean }, only: hasTimeMean},
}

func isCounter(m rollup.MeasureSpec) bool   { return m.Counter }
func hasTimeMean(m rollup.MeasureSpec) bool { return m.TimeMean }

func whole(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

func float(d *model.Decimal) *float64 {
	if d == nil {
		return nil
	}
	return new(d.Float64())
}

// seriesLabels returns the labels of a metric of a series; statistic is empty for a companion.
func seriesLabels(s model.Series, measure, statistic string) labels.Labels {
	l := map[string]string{labelName: measure, labelKind: s.Kind, labelSubject: s.Subject.ID}
	if statistic != "" {
		l[labelName], l[labelStatistic] = Metric(measure), statistic
	}
	if l[labelName] != measure {
		l[labelMeasure] = measure
	}
	if s.Stream != "" {
		l[labelStream] = s.Stream
	}
	return labels.FromMap(l)
}

func matchesAll(l labels.Labels, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(l.Get(m.Name)) })
}

// matchesLabels applies only the matchers of some labels.
func matchesLabels(l labels.Labels, matchers []*labels.Matcher, names ...string) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool {
		return slices.Contains(names, m.Name) && !m.Matches(l.Get(m.Name))
	})
}
