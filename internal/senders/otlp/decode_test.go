package otlp_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/otlp"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// Any input is decoded or refused, and a point has a name and a field, or an error.
func FuzzDecode(f *testing.F) {
	seed, err := proto.Marshal(
		&metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: []*metrics.Metric{
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
		points, err := otlp.Decode(bytes.Clone(body),
			otlp.Options{JSON: asJSON, Now: time.Unix(1, 0), Points: most, Parts: most})
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

func decodeJSON(t *testing.T, metric string) []points.Point {
	t.Helper()
	body := `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"temp",` + metric + `}]}]}]}`
	got, err := otlp.Decode([]byte(body), otlp.Options{JSON: true, Now: time.Unix(1, 0), Points: 10, Parts: 10})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDecode_ANumberWithoutAMeaningIsRefused(t *testing.T) {
	for metric, want := range map[string]string{
		`"sum":{"aggregationTemporality":0,"dataPoints":[{"asInt":"7"}]}`:  "temporality 0, which",
		`"sum":{"aggregationTemporality":17,"dataPoints":[{"asInt":"7"}]}`: "temporality 17, which",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"count":"5","bucketCounts":["5","1"],` +
			`"explicitBounds":[1,2]}]}`: "2 buckets and 2 bounds",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"bucketCounts":["1","1","1"],` +
			`"explicitBounds":[5,5]}]}`: "the bound 5 after",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"bucketCounts":["1","1","1"],` +
			`"explicitBounds":[5,2]}]}`: "the bound 2 after",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"bucketCounts":["1","1"],` +
			`"explicitBounds":["NaN"]}]}`: "the bound NaN",
	} {
		got := decodeJSON(t, metric)
		if len(got) != 1 || got[0].Err == nil || !strings.Contains(got[0].Err.Message, want) {
			t.Errorf("%s: %+v, want %q", metric, got[0], want)
		}
	}
}

func TestDecode_FiguresOfEachDistributionAreStored(t *testing.T) {
	for metric, want := range map[string]string{
		`"exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[{"count":"5","sum":12.5,` +
			`"min":1,"max":9,"scale":2,"positive":{"offset":1,"bucketCounts":["5"]}}]}`: "count=5 sum=12.5 min=1 max=9 not stored: buckets",
		`"exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[{"sum":2,"min":-1,"max":4,` +
			`"zeroCount":"2","positive":{"bucketCounts":["1","2"]},` +
			`"negative":{"bucketCounts":["3"]}}]}`: "count=8 sum=2 min=-1 max=4 not stored: buckets",
		`"summary":{"dataPoints":[{"count":"5","sum":12.5,"quantileValues":[{"quantile":0.5,"value":2}]}]}`: "count=5 sum=12.5 quantile_0.5=2",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"sum":3,"bucketCounts":["1","2"],` +
			`"explicitBounds":[1]}]}`: "count=3 sum=3 bucket_1=1 bucket_inf=2 ",
		`"histogram":{"aggregationTemporality":1,"dataPoints":[{"count":"0","sum":0,"min":0,"max":0,` +
			`"bucketCounts":["0"]}]}`: "count=0 sum=0 bucket_inf=0 ",
		`"unheardOf":{"dataPoints":[{}]}`: "no data of a type that is known",
	} {
		got := decodeJSON(t, metric)
		text := ""
		if len(got) == 1 && got[0].Err == nil {
			for _, f := range got[0].Fields {
				text += f.Name + "=" + f.Text + " "
			}
			for _, part := range got[0].Dropped {
				text += "not stored: " + part.Field
			}
		} else if len(got) == 1 {
			text = got[0].Err.Message
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", metric, text, want)
		}
	}
}

func TestDecode_APointWithoutAValueIsNotZero(t *testing.T) {
	for _, point := range []string{`{"asDouble":null}`, `{}`, `{"asInt":null}`} {
		got := decodeJSON(t, `"gauge":{"dataPoints":[`+point+`,{"asInt":"7"}]}`)
		if len(got) != 2 || got[0].Err == nil || got[0].Err.Code != otlp.CodeNoValue {
			t.Errorf("%s: %+v, want a refusal", point, got[0])
		}
		if got[1].Err != nil || got[1].Fields[0].Text != "7" {
			t.Errorf("the point after %s: %+v, want 7", point, got[1])
		}
	}
}

func TestDecode_AnUnknownTemporalityIsRefused(t *testing.T) {
	for _, kind := range []string{"sum", "histogram"} {
		got := decodeJSON(t,
			`"`+kind+`":{"aggregationTemporality":17,"dataPoints":[{"count":"1","sum":1,"asInt":"1"}]}`)
		if len(got) != 1 || got[0].Err == nil || got[0].Err.Code != otlp.CodeUnsupported {
			t.Errorf("%s: %+v, want a refusal", kind, got)
		}
	}
}

func TestDecode_AnAttributeThatIsNoSingleValueIsKeptAsText(t *testing.T) {
	got := decodeJSON(t, `"gauge":{"dataPoints":[{"asInt":"7","attributes":[
		{"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"1"},{"boolValue":true}]}}},
		{"key":"map","value":{"kvlistValue":{"values":[{"key":"b","value":{"doubleValue":0.5}}]}}},
		{"key":"bytes","value":{"bytesValue":"/wA="}}]}]}`)
	if got[0].Err != nil {
		t.Fatal(got[0].Err)
	}
	for i, want := range []string{`["a",1,true]`, `{"b":"0.5"}`, "/wA="} {
		if tag := got[0].Tags[i]; tag.Value != want {
			t.Errorf("%s is %s, want %s", tag.Name, tag.Value, want)
		}
	}
}

// decodeResource decodes a request with one resource, or the error.
func decodeResource(resource string) ([]points.Point, error) {
	body := []byte(`{"resourceMetrics":[` + resource + `]}`)
	return otlp.Decode(body, otlp.Options{JSON: true, Now: time.Unix(1, 0), Points: 10, Parts: 10})
}

func TestDecode_ASeriesThatIsNotNamedOnceIsRefused(t *testing.T) {
	const twice = `"attributes":[{"key":"a","value":{"stringValue":"1"}},` +
		`{"key":"a","value":{"stringValue":"2"}}]`
	for _, c := range []struct{ resource, metric, point, want string }{
		{metric: `"name":"g",`, point: "," + twice, want: `the attribute "a" twice`},
		{metric: `"name":"g",`, resource: twice, want: `the attribute "a" twice`},
		{metric: `"name":"g",`, point: `,"attributes":[{"key":"m","value":{"arrayValue":{"values":[` +
			`{"kvlistValue":{"values":[{"key":"a"},{"key":"a"}]}}]}}}]`,
			want: `the attribute "m", a map that has a key twice`},
		{metric: `"name":"g",`, point: `,"attributes":[{}]`, want: "an attribute without a key"},
		{want: "without the name of a metric"},
	} {
		got, err := decodeResource(`{"resource":{` + c.resource + `},"scopeMetrics":[{"metrics":[{` +
			c.metric + `"gauge":{"dataPoints":[{"asInt":"7"` + c.point + `}]}}]}]}`)
		if err != nil || got[0].Err == nil || !strings.Contains(got[0].Err.Message, c.want) {
			t.Errorf("%+v: %+v, %v; want %q", c, got, err, c.want)
		}
	}
}

// Each point copies the attributes of its resource and scope, so they have a limit together.
func TestDecode_TooManyAttributesOfAResourceAreRefused(t *testing.T) {
	attributes := func(prefix string, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"key":"%s%d","value":{"intValue":"1"}}`, prefix, i))
		}
		return `{"attributes":[` + strings.Join(all, ",") + `]}`
	}
	const tooMany = "a resource and a scope with 11 attributes: send at most 10"
	for most, want := range map[int]string{5: "", 6: tooMany} {
		got, err := decodeResource(`{"resource":` + attributes("r", 5) + `,"scopeMetrics":[{"scope":` +
			attributes("s", most) + `,"metrics":[{"name":"g","gauge":{"dataPoints":[{"asInt":"7"}]}}]}]}`)
		if err != nil || len(got) != 1 || (got[0].Err == nil) != (want == "") ||
			got[0].Err != nil && !strings.Contains(got[0].Err.Message, want) {
			t.Errorf("5 and %d: %+v, %v; want %q", most, got, err, want)
		}
	}
}

// Two scopes of a service may have a metric of one name. A row of sources tells them apart by their tags.
func TestDecode_AScopeIsTagsOfItsPoints(t *testing.T) {
	got, err := decodeResource(`{"scopeMetrics":[{
		"scope":{"name":"io.http","version":"1.2","attributes":[{"key":"shard","value":{"intValue":"3"}}]},
		"metrics":[{"name":"g","gauge":{"dataPoints":[{"asInt":"7"}]}}]}]}`)
	want := []points.Tag{
		{Name: "otel.scope.name", Value: "io.http", Resource: true},
		{Name: "otel.scope.version", Value: "1.2", Resource: true},
		{Name: "otel.scope.shard", Value: "3", Resource: true},
	}
	if err != nil || len(got) != 1 || !slices.Equal(got[0].Tags, want) {
		t.Errorf("%+v, %v; want the tags %+v", got, err, want)
	}
}

func TestDecode_AnotherSignalIsRefused(t *testing.T) {
	metric := func(text string) string {
		return `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[` + text + `]}]}]}`
	}
	for body, want := range map[string]error{
		`{"resourceSpans":[{"scopeSpans":[]}]}`:                               otlp.ErrSyntax,
		`{"resourceLogs":[]}`:                                                 otlp.ErrSyntax,
		`{"resourceMetrics":[{"instrumentationLibraryMetrics":[]}]}`:          otlp.ErrSyntax,
		`{"resourceMetrics":[{"resource":{},"scopeMetrics":[{"scope":{}}]}]}`: nil,
		metric(`{"gauge":{"datapoints":[{}]}}`):                               otlp.ErrSyntax,
		metric(`{"gauge":{"dataPoints":[{"flags":1}]},"new":1}`):              nil,
		`{}`: nil,
	} {
		got, err := otlp.Decode([]byte(body), otlp.Options{JSON: true, Points: 10, Parts: 10})
		if !errors.Is(err, want) || len(got) > 0 {
			t.Errorf("%s: %+v, %v; want %v", body, got, err, want)
		}
	}
}

func TestDecode_AMessageOfAnotherProtocolIsRefused(t *testing.T) {
	t.Parallel()
	ofMetrics, err := proto.Marshal(&metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{}}})
	if err != nil {
		t.Fatal(err)
	}
	ofVersion2 := []byte("\x22\x00\x22\x01a") // the symbols of Prometheus' io.prometheus.write.v2.Request
	nested := []byte("\x0a\x02\x40\x01")      // ResourceMetrics with a field 8
	for body, want := range map[string]string{
		"": "", string(ofMetrics): "",
		string(ofVersion2): "a field 4, which MetricsData does not have",
		string(nested):     "a field 8, which ResourceMetrics does not have",
	} {
		_, err := otlp.Decode([]byte(body), otlp.Options{Points: 10, Parts: 10})
		if (err != nil) != (want != "") || err != nil && (!errors.Is(err, otlp.ErrSyntax) ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%x: %v, want %q", body, err, want)
		}
	}
}
