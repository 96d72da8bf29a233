package promapi_test

import (
	"context"
	"io"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// scraped are the samples of one counter, as Prometheus stores them.
type scraped struct {
	storage.LabelQuerier
	floats []promql.FPoint
}

func (s scraped) Querier(_, _ int64) (storage.Querier, error) {
	s.LabelQuerier = storage.NoopQuerier()
	return s, nil
}

func (s scraped) Select(context.Context, bool, *storage.SelectHints, ...*labels.Matcher) storage.SeriesSet {
	one := promql.Series{Metric: labels.FromStrings("__name__", "x"), Floats: s.floats}
	return &oneSeries{Series: promql.NewStorageSeries(one)}
}

type oneSeries struct {
	storage.Series
	passed bool
}

func (s *oneSeries) Next() bool {
	first := !s.passed
	s.passed = true
	return first
}
func (s *oneSeries) At() storage.Series              { return s.Series }
func (*oneSeries) Err() error                        { return nil }
func (*oneSeries) Warnings() annotations.Annotations { return nil }

func prometheusValue(t *rapid.T, s scraped, query string, when model.Time) float64 {
	engine := promapi.NewEngine(slog.New(slog.NewTextHandler(io.Discard, nil)), time.Minute)
	q, err := engine.NewInstantQuery(context.Background(), s, nil, query, when.Time())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	found, err := q.Exec(context.Background()).Vector()
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v, %v", query, found, err)
	}
	return found[0].F
}

// Samples reach both ends of an hour. Prometheus extends their increase to the ends, by their rate: so its
// rate is the rate of the hour's readings, and its increase is this rate times the hour.
func TestCounter_HasTheRateAndTheResetsOfPrometheus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Scale: 3, Counter: true}}}
		hour, value := rollup.New(spec), int64(900_000)
		s := scraped{}
		start := at("2026-04-20T14:00:00Z")
		for i := range 60 {
			value += rapid.Int64Range(0, 70).Draw(t, "step")
			if i > 0 && rapid.IntRange(0, 19).Draw(t, "restart") == 0 {
				value = rapid.Int64Range(0, 9).Draw(t, "after")
			}
			when := start.Add(time.Duration(i)*time.Minute + 30*time.Second)
			s.floats = append(s.floats, promql.FPoint{T: int64(when), F: float64(value)})
			attrs := model.Attrs{{Name: "x", Value: model.NumberValue(model.NewDecimal(value))}}
			hour.AddEvent(&model.Event{Order: model.Order{At: when}, Attrs: attrs})
		}
		m, _ := hour.Measure("x")
		rate, _ := m.Rate()
		resets, _ := m.Resets()
		end := start.Add(time.Hour)
		for query, want := range map[string]float64{
			"rate(x[1h])": rate, "increase(x[1h])": rate * 3600, "resets(x[1h])": float64(resets),
		} {
			if got := prometheusValue(t, s, query, end); math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%s is %v, want %v", query, got, want)
			}
		}
	})
}
