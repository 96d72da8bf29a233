package otlp_test

import (
	"bytes"
	"testing"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/senders/otlp"
)

// SDKs in C++ and PHP send texts as they are. The part with the wrong bytes keeps them, and is refused where
// the part is stored; the other points of the body are as ever.
func TestDecode_BytesThatAreNotUTF8AreOfTheirPartAlone(t *testing.T) {
	attribute := func(key, text string) *common.KeyValue {
		value := &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: text}}
		return &common.KeyValue{Key: key, Value: value}
	}
	gauge := func(name string, attributes ...*common.KeyValue) *metrics.Metric {
		point := &metrics.NumberDataPoint{TimeUnixNano: 5, Attributes: attributes,
			Value: &metrics.NumberDataPoint_AsInt{AsInt: 7}}
		data := &metrics.Gauge{DataPoints: []*metrics.NumberDataPoint{point}}
		return &metrics.Metric{Name: name, Description: "WX", Data: &metrics.Metric_Gauge{Gauge: data}}
	}
	data := &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{attribute("process.command_args", "WX")}},
		ScopeMetrics: []*metrics.ScopeMetrics{{
			Metrics: []*metrics.Metric{gauge("aWX"), gauge("b", attribute("kWX", "é")), gauge("c")},
		}},
	}}}
	asProto, err := proto.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := protojson.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{asProto, asJSON} {
		body = bytes.ReplaceAll(body, []byte("WX"), []byte("\xff\x80"))
		isJSON := body[0] == '{'
		got, err := otlp.Decode(body, otlp.Options{JSON: isJSON, Now: time.Unix(1, 0), Points: 10, Parts: 10})
		if err != nil || len(got) != 3 {
			t.Fatalf("JSON %t: %d points, %v", isJSON, len(got), err)
		}
		if got[0].Name != "a\xff\x80" || got[2].Name != "c" || got[1].Tags[1].Name != "k\xff\x80" {
			t.Errorf("JSON %t: %+v", isJSON, got)
		}
		if text := got[0].Tags[0].Value; text != "\xff\x80" || got[0].Err != nil {
			t.Errorf("JSON %t: the attribute of the resource is %q, %v", isJSON, text, got[0].Err)
		}
	}
}
