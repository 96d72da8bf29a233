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
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/pkg/model"
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

// statistics are the figures that are values of labelStatistic, by name.
var statistics = func() []figure.Column {
	all := slices.DeleteFunc(slices.Concat(figure.Columns, figure.Steps),
		func(c figure.Column) bool { return c.Statistic == "" })
	slices.SortFunc(all, func(a, b figure.Column) int { return strings.Compare(a.Statistic, b.Statistic) })
	return all
}()

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
