package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

const sampleNanos = 1776693600000000001 // a nanosecond after the time of the samples

func text(name, value string) *common.KeyValue {
	return &common.KeyValue{Key: name,
		Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func gauge(name string, points ...*metrics.NumberDataPoint) *metrics.Metric {
	return &metrics.Metric{Name: name, Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}}
}

func double(v float64, attributes ...*common.KeyValue) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{Attributes: attributes, TimeUnixNano: sampleNanos,
		Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}
}

// exported is a request of the service checkout with some metrics.
func exported(all ...*metrics.Metric) *metrics.MetricsData {
	list := &common.KeyValue{Key: "process.command_args",
		Value: &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{}}}}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource:     &resource.Resource{Attributes: []*common.KeyValue{text("service.name", "checkout"), text("telemetry.sdk.name", "x"), text("service.instance.id", "i1"), list}},
		ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: all}},
	}}}
}

// export returns a request with metrics in protobuf or JSON.
func export(t *testing.T, asJSON bool, data *metrics.MetricsData) write {
	t.Helper()
	w := write{path: access.PathMetrics, key: anyKey,
		headers: map[string]string{"content-type": "application/x-protobuf"}, base64: true}
	body, err := proto.Marshal(data)
	if asJSON {
		w.headers, w.base64 = map[string]string{"content-type": "application/json"}, false
		body, err = protojson.Marshal(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w.body = string(body); w.base64 {
		w.body = base64.StdEncoding.EncodeToString(body)
	}
	return w
}

func TestMetrics_StoresGaugesSumsAndHistograms(t *testing.T) {
	const cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	sum := 7.5
	data := exported(
		gauge("queue", double(2.5, text("b", "2"), text("a", "x,y"))),
		&metrics.Metric{Name: "requests", Data: &metrics.Metric_Sum{Sum: &metrics.Sum{
			IsMonotonic: true, AggregationTemporality: cumulative, DataPoints: []*metrics.NumberDataPoint{
				{TimeUnixNano: sampleNanos, Value: &metrics.NumberDataPoint_AsInt{AsInt: 900719925474099}}},
		}}},
		&metrics.Metric{Name: "duration", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{
			AggregationTemporality: cumulative, DataPoints: []*metrics.HistogramDataPoint{{
				TimeUnixNano: sampleNanos, Count: 3, Sum: &sum, BucketCounts: []uint64{1, 2, 0},
				ExplicitBounds: []float64{0.005, 1},
			}},
		}}},
	)
	for _, asJSON := range []bool{false, true} {
		f := newCollector(t, nil, nil)
		for range 2 {
			r := f.write(t, export(t, asJSON, data))
			if want := map[bool]string{true: "{}"}[asJSON]; r.StatusCode != 200 || r.Body != want {
				t.Fatalf("JSON %t: %d %q, want 200 %q", asJSON, r.StatusCode, r.Body, want)
			}
		}
		requireEvents(t, f,
			"HOST/checkout/METRIC duration,service.instance.id=i1 2026-04-20T14:00:00.000Z bucket_0.005=1 bucket_1=2 bucket_inf=0 count=3 sum=7.5",
			`HOST/checkout/METRIC queue,a=x\,y,b=2,service.instance.id=i1 2026-04-20T14:00:00.000Z value=2.5`,
			"HOST/checkout/METRIC requests,service.instance.id=i1 2026-04-20T14:00:00.000Z value=900719925474099")
	}
}

func TestMetrics_NamesThePointsThatAreNotStored(t *testing.T) {
	none := double(0)
	none.Flags = uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK)
	data := exported(
		&metrics.Metric{Name: "old",
			Data: &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: []*metrics.NumberDataPoint{{}, {}}}}},
		&metrics.Metric{Name: "exp",
			Data: &metrics.Metric_ExponentialHistogram{ExponentialHistogram: &metrics.ExponentialHistogram{DataPoints: []*metrics.ExponentialHistogramDataPoint{{}}}}},
		gauge("ok", double(1), none), // a point without a value has nothing to store, and is no fault
		gauge("nan", &metrics.NumberDataPoint{TimeUnixNano: sampleNanos,
			Value: &metrics.NumberDataPoint_AsDouble{AsDouble: nan()}}),
	)
	f := newCollector(t, nil, nil)
	r := f.write(t, export(t, true, data))
	var got struct {
		PartialSuccess struct {
			RejectedDataPoints string
			ErrorMessage       string
		}
	}
	if err := json.Unmarshal([]byte(r.Body), &got); err != nil || r.StatusCode != 200 ||
		got.PartialSuccess.RejectedDataPoints != "4" {
		t.Fatalf("%d %s, %v; want 4 rejected points", r.StatusCode, r.Body, err)
	}
	if m := got.PartialSuccess.ErrorMessage; !strings.Contains(m, `data point 1: `) ||
		!strings.Contains(m, `"old" has the aggregation temp`) || !strings.Contains(m, "4 of 5 data points") {
		t.Errorf("message %s", m)
	}
	requireEvents(t, f, "HOST/checkout/METRIC ok,service.instance.id=i1 2026-04-20T14:00:00.000Z value=1")
	// In protobuf, the response is ExportMetricsServiceResponse: partial_success, rejected_data_points.
	r = f.write(t, export(t, false, data))
	body, err := base64.StdEncoding.DecodeString(r.Body)
	if err != nil || r.Headers["Content-Type"] != "application/x-protobuf" {
		t.Fatalf("%v %v", r.Headers, err)
	}
	number, _, n := protowire.ConsumeTag(body)
	partial, _ := protowire.ConsumeBytes(body[n:])
	field, _, n := protowire.ConsumeTag(partial)
	if rejected, _ := protowire.ConsumeVarint(partial[n:]); number != 1 || field != 1 || rejected != 4 {
		t.Errorf("field %d, %d: %d rejected points, want 4 in 1, 1", number, field, rejected)
	}
}

// A histogram with many buckets is stored in parts. It is one data point, also in what is refused of it.
func TestMetrics_ADividedPointIsRejectedOnce(t *testing.T) {
	var bounds []float64
	for b := range 120 {
		bounds = append(bounds, float64(b))
	}
	histogram := func(n uint64) write {
		one := &metrics.HistogramDataPoint{TimeUnixNano: sampleNanos, Count: n,
			BucketCounts: slices.Repeat([]uint64{n}, len(bounds)+1), ExplicitBounds: bounds}
		all := &metrics.Histogram{DataPoints: []*metrics.HistogramDataPoint{one},
			AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA}
		data := &metrics.Metric_Histogram{Histogram: all}
		return export(t, true, exported(&metrics.Metric{Name: "h", Data: data}))
	}
	f := newCollector(t, nil, nil)
	f.write(t, histogram(1))
	r := f.write(t, histogram(2))
	if !strings.Contains(r.Body, `1 of 1 data`) || !strings.Contains(r.Body, `"rejectedDataPoints":"1"`) {
		t.Errorf("%s, want one rejected point", r.Body)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestMetrics_RefusesARequestAsAWhole(t *testing.T) {
	whole := export(t, false, exported(gauge("a", double(1))))
	cut := whole
	cut.body = base64.StdEncoding.EncodeToString([]byte("\x0a\x7f\x00"))
	many := make([]*metrics.NumberDataPoint, 1001)
	for i := range many {
		many[i] = double(1)
	}
	empty := whole // a million empty messages in two bytes each
	empty.body = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x0a\x00", 500_000)))
	other, unchecked := whole, whole
	other.headers = map[string]string{"content-type": "application/grpc"}
	unchecked.key = nil
	for name, c := range map[string]struct {
		write
		status int
	}{
		"truncated":           {cut, 400},
		"too many points":     {export(t, false, exported(gauge("a", many...))), 413},
		"another type":        {other, 415},
		"no authorizer":       {unchecked, 401},
		"empty messages":      {empty, 200},
		"no body":             {write{path: access.PathMetrics, key: anyKey, headers: whole.headers}, 200},
		"JSON that is not it": {write{path: access.PathMetrics, key: anyKey, headers: map[string]string{"content-type": "application/json"}, body: `{"resourceMetrics":7}`}, 400},
	} {
		f := newCollector(t, nil, nil)
		if r := f.write(t, c.write); r.StatusCode != c.status {
			t.Errorf("%s: %d %.200s; want %d", name, r.StatusCode, r.Body, c.status)
		}
		requireEvents(t, f)
	}
	wide := make([]*common.KeyValue, 20_000)
	for i := range wide {
		wide[i] = text("k", "v")
	}
	f := newCollector(t, nil, nil)
	if r := f.write(t, export(t, true, exported(gauge("a", double(1, wide...)),
		gauge("b", double(1))))); r.StatusCode != 200 || !strings.Contains(r.Body, "20000 attributes") {
		t.Errorf("20,000 attributes: %d %s", r.StatusCode, r.Body)
	}
	requireEvents(t, f, "HOST/checkout/METRIC b,service.instance.id=i1 2026-04-20T14:00:00.000Z value=1")
}

// An exporter sends again after 503 and drops its metrics after 500, so a table that does not
// respond is a 503, with a Status in the encoding of the request.
func TestMetrics_AskForARepetitionWhileTheTableDoesNotRespond(t *testing.T) {
	for name, d := range map[string]dark{
		"throttled":     {result: storage.Throttled},
		"unknown":       {result: storage.Unknown},
		"no such right": {err: errors.New("AccessDeniedException: tidemark-prod-Table")},
	} {
		for _, asJSON := range []bool{false, true} {
			f := newCollector(t, nil, func(m *memory.Table) store { d.Table = m; return d })
			w := export(t, asJSON, exported(gauge("a", double(1)), gauge("b", double(nan()))))
			r := f.write(t, w)
			body := r.Body
			if r.IsBase64Encoded {
				decoded, err := base64.StdEncoding.DecodeString(body)
				if err != nil {
					t.Fatal(err)
				}
				body = string(decoded)
			}
			if r.StatusCode != 503 || r.Headers["Retry-After"] == "" ||
				r.Headers["Content-Type"] != w.headers["content-type"] ||
				!strings.Contains(body, "again") || strings.Contains(body, "AccessDenied") {
				t.Errorf("%s, JSON %t: %d %v %q; want 503 with Retry-After", name, asJSON, r.StatusCode, r.Headers, body)
			}
		}
	}
}
