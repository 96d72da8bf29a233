package otlp_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/senders/otlp"
)

// A message is the same points in protobuf and in JSON, with enumerations as numbers or as names.
func TestDecode_ProtobufAndJSONOfAMessageAreTheSamePoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := drawMetrics(t)
		binary, err := proto.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		options := otlp.Options{Now: time.Unix(1, 0), Points: 100, Parts: 10}
		want, err := otlp.Decode(binary, options)
		if err != nil {
			t.Fatal(err)
		}
		options.JSON = true
		for _, numbers := range []bool{true, false} {
			text, err := protojson.MarshalOptions{UseEnumNumbers: numbers}.Marshal(data)
			if err != nil {
				t.Fatal(err)
			}
			got, err := otlp.Decode(text, options)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Fatalf("%v (-protobuf +JSON):\n%s\n%s", err, diff, text)
			}
		}
	})
}

var (
	doubles = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(),
		math.Inf(1), math.Inf(-1), 1e308, 5e-324, 0.1, 1 << 53}))
	times = rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(1.7e18, 1.8e18), rapid.Uint64())
	texts = rapid.StringN(0, 5, 12)
)

func drawMetrics(t *rapid.T) *metrics.MetricsData {
	scope := &metrics.ScopeMetrics{Scope: &common.InstrumentationScope{Name: texts.Draw(t, "scope"),
		Attributes: drawAttributes(t)}}
	for range rapid.IntRange(0, 4).Draw(t, "metrics") {
		scope.Metrics = append(scope.Metrics, drawMetric(t))
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource:     &resource.Resource{Attributes: drawAttributes(t)},
		ScopeMetrics: []*metrics.ScopeMetrics{scope},
	}}}
}

func drawMetric(t *rapid.T) *metrics.Metric {
	m := &metrics.Metric{Name: texts.Draw(t, "name"), Unit: texts.Draw(t, "unit")}
	temporality := metrics.AggregationTemporality(rapid.Int32Range(0, 2).Draw(t, "temporality"))
	at, attributes := times.Draw(t, "time"), drawAttributes(t)
	flags := rapid.Uint32Range(0, 1).Draw(t, "flags")
	count := rapid.Uint64().Draw(t, "count")
	number := &metrics.NumberDataPoint{TimeUnixNano: at, Attributes: attributes, Flags: flags}
	switch rapid.IntRange(0, 2).Draw(t, "value") {
	case 0:
		number.Value = &metrics.NumberDataPoint_AsDouble{AsDouble: doubles.Draw(t, "double")}
	case 1:
		number.Value = &metrics.NumberDataPoint_AsInt{AsInt: rapid.Int64().Draw(t, "int")}
	}
	numbers := []*metrics.NumberDataPoint{number}
	switch rapid.IntRange(0, 5).Draw(t, "type") {
	case 0:
		m.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: numbers}}
	case 1:
		m.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: numbers,
			AggregationTemporality: temporality, IsMonotonic: rapid.Bool().Draw(t, "monotonic")}}
	case 2:
		m.Data = &metrics.Metric_Histogram{Histogram: &metrics.Histogram{AggregationTemporality: temporality,
			DataPoints: []*metrics.HistogramDataPoint{{TimeUnixNano: at, Attributes: attributes, Count: count,
				Flags: flags, Sum: drawFigure(t), Min: drawFigure(t), Max: drawFigure(t),
				BucketCounts:   rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "buckets"),
				ExplicitBounds: rapid.SliceOfN(doubles, 0, 2).Draw(t, "bounds")}}}}
	case 3:
		m.Data = &metrics.Metric_ExponentialHistogram{ExponentialHistogram: &metrics.ExponentialHistogram{
			AggregationTemporality: temporality, DataPoints: []*metrics.ExponentialHistogramDataPoint{{
				TimeUnixNano: at, Attributes: attributes, Count: count,
				Sum: drawFigure(t), Min: drawFigure(t), Max: drawFigure(t)}}}}
	case 4:
		m.Data = &metrics.Metric_Summary{Summary: &metrics.Summary{DataPoints: []*metrics.SummaryDataPoint{{
			TimeUnixNano: at, Attributes: attributes, Count: count, Sum: doubles.Draw(t, "sum"),
			QuantileValues: []*metrics.SummaryDataPoint_ValueAtQuantile{{Quantile: 0.5,
				Value: doubles.Draw(t, "quantile")}}}}}}
	}
	return m
}

func drawFigure(t *rapid.T) *float64 {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	f := doubles.Draw(t, "figure")
	return &f
}

func drawAttributes(t *rapid.T) (all []*common.KeyValue) {
	for range rapid.IntRange(0, 3).Draw(t, "attributes") {
		key := rapid.OneOf(rapid.SampledFrom([]string{"host.name", "a", "b"}), texts).Draw(t, "key")
		all = append(all, &common.KeyValue{Key: key, Value: drawValue(t, 2)})
	}
	return all
}

func drawValue(t *rapid.T, depth int) *common.AnyValue {
	switch rapid.IntRange(0, 5+depth).Draw(t, "attribute") {
	case 0:
		return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: texts.Draw(t, "text")}}
	case 1:
		return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}
	case 2:
		return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: rapid.Int64().Draw(t, "int")}}
	case 3:
		return &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: doubles.Draw(t, "double")}}
	case 4:
		bytes := []byte(texts.Draw(t, "bytes"))
		return &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: bytes}}
	case 5:
		return &common.AnyValue{}
	case 6:
		list := &common.ArrayValue{Values: []*common.AnyValue{drawValue(t, depth-1)}}
		return &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: list}}
	}
	members := &common.KeyValueList{Values: []*common.KeyValue{{Key: "k", Value: drawValue(t, depth-1)}}}
	return &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: members}}
}
