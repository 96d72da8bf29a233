package otlp_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/source/otlp"
)

// Any input is decoded or refused, and a point has a name and a field, or an error.
func FuzzDecode(f *testing.F) {
	seed, err := proto.Marshal(&metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: []*metrics.Metric{
		{Name: "g", Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: []*metrics.NumberDataPoint{{TimeUnixNano: 5, Value: &metrics.NumberDataPoint_AsInt{AsInt: 7}}}}}},
		{Name: "h", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{DataPoints: []*metrics.HistogramDataPoint{{Count: 1, BucketCounts: []uint64{1}}}}}},
		{Name: "s", Data: &metrics.Metric_Summary{Summary: &metrics.Summary{DataPoints: []*metrics.SummaryDataPoint{{}}}}},
	}}}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, false)
	f.Add([]byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[{"asDouble":"NaN","timeUnixNano":"5"}]}}]}]}]}`), true)
	f.Fuzz(func(t *testing.T, body []byte, asJSON bool) {
		const most = 10
		points, err := otlp.Decode(bytes.Clone(body), otlp.Options{JSON: asJSON, Now: time.Unix(1, 0), Points: most, Parts: most})
		switch {
		case err != nil && (points != nil || !errors.Is(err, otlp.ErrSyntax) && !errors.Is(err, ingest.ErrTooMany)):
			t.Fatalf("%d points, %v", len(points), err)
		case len(points) > most:
			t.Fatalf("%d points, want at most %d", len(points), most)
		}
		for i, p := range points {
			if p.Err == nil && (len(p.Fields) == 0 || p.At.IsZero()) || p.Line < i+1 {
				t.Fatalf("point %d: %+v", i, p)
			}
		}
	})
}
