package promapi_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// archive has all samples of a tier, and returns all that a selector matches, whatever its range is.
type archive struct {
	storage.LabelQuerier
	unit   tier.Unit
	series []promql.Series
}

func (s *archive) Querier(_, _ int64) (storage.Querier, error) {
	s.LabelQuerier = storage.NoopQuerier()
	return s, nil
}

func (s *archive) Select(
	_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher,
) storage.SeriesSet {
	found := &archived{}
	for _, one := range s.series {
		fails := func(m *labels.Matcher) bool { return !m.Matches(one.Metric.Get(m.Name)) }
		if !slices.ContainsFunc(matchers, fails) {
			found.series = append(found.series, promql.NewStorageSeries(one))
		}
	}
	// The sum of floats depends on their order, and count_values prints all digits.
	slices.SortFunc(found.series, func(a, b storage.Series) int {
		return labels.Compare(a.Labels(), b.Labels())
	})
	return found
}

type archived struct {
	series []storage.Series
	next   int
}

func (s *archived) Next() bool                      { s.next++; return s.next <= len(s.series) }
func (s *archived) At() storage.Series              { return s.series[s.next-1] }
func (*archived) Err() error                        { return nil }
func (*archived) Warnings() annotations.Annotations { return nil }

// add adds the sample of a bucket at its end, and a marker at the end of the next one, which its sample
// replaces.
func (s *archive) add(l labels.Labels, b tier.Bucket, v float64) {
	i := slices.IndexFunc(s.series, func(one promql.Series) bool { return labels.Equal(one.Metric, l) })
	if i < 0 {
		i = len(s.series)
		s.series = append(s.series, promql.Series{Metric: l})
	}
	floats := s.series[i].Floats
	if n := len(floats); n > 0 && floats[n-1].T == int64(b.End) {
		floats = floats[:n-1]
	}
	s.series[i].Floats = append(floats, promql.FPoint{T: int64(b.End), F: v},
		promql.FPoint{T: int64(s.unit.BucketAt(b.End).End), F: math.Float64frombits(value.StaleNaN)})
}

// figuresOfCounters are the statistics of a counter besides figures, nil of another measure.
var figuresOfCounters = map[string]func(figure.Figures) *float64{
	"increase": func(f figure.Figures) *float64 {
		if f.Increase == nil {
			return nil
		}
		return new(f.Increase.Float64())
	},
	"rate": func(f figure.Figures) *float64 { return f.Rate },
	"resets": func(f figure.Figures) *float64 {
		if f.Resets == nil {
			return nil
		}
		return new(float64(*f.Resets))
	},
}

// addMeasure adds the statistics of a measure in a bucket.
func (s *archive) addMeasure(subject, measure string, b tier.Bucket, f figure.Figures) {
	metric, label := measure, ""
	if measure == "battery.level" {
		metric, label = "battery_level", measure
	}
	add := func(statistic string, v float64) {
		l := labels.FromStrings("__name__", metric, "kind", "READING", "measure", label,
			"statistic", statistic, "subject", subject)
		s.add(l.WithoutEmpty(), b, v)
	}
	for statistic, figure := range figures {
		counts := statistic == "count" || statistic == "invalid"
		percentile := slices.Contains([]string{"p50", "p95", "p99"}, statistic)
		if counts || f.Count > 0 && (f.P50 != nil || !percentile) {
			add(statistic, figure(f))
		}
	}
	for statistic, figure := range figuresOfCounters {
		if v := figure(f); v != nil {
			add(statistic, *v)
		}
	}
}

// archiveTier reads the samples of a tier by one chart of each subject of the fleet.
func archiveTier(t *testing.T, a *promapi.API, unit tier.Unit, from model.Time) *archive {
	t.Helper()
	all := &archive{unit: unit}
	for _, subject := range fleet {
		rollups := query.Rollups{
			Series: query.Series{Kind: &a.Catalog.Kinds[0], Subject: subject},
			Unit:   unit, From: from, To: unit.BucketAt(now).Start, Limit: 1000,
		}
		curve, err := a.Query.Chart(t.Context(), query.Chart{Rollups: rollups})
		if err != nil || len(curve.Rollups) == 0 || len(curve.Missing) > 0 {
			t.Fatalf("%d rows of %s, missing %v: %v", len(curve.Rollups), subject, curve.Missing, err)
		}
		for _, r := range curve.Rollups {
			companion := func(name string, v float64) {
				l := labels.FromStrings("__name__", name, "kind", "READING", "subject", subject)
				all.add(l, r.Bucket, v)
			}
			companion("tidemark_events", float64(r.Summary.Events()))
			companion("tidemark_inexact", map[bool]float64{false: 1}[r.Exact])
			for _, name := range r.Summary.Names() {
				all.addMeasure(subject, name, r.Bucket, figure.New(r.Measure(name)))
			}
		}
	}
	return all
}
