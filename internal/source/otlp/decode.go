// Package otlp decodes the metrics of OTLP over HTTP, in protobuf and JSON, as SDKs and
// collectors of OpenTelemetry export them, with the published messages.
package otlp

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/source"
)

// MaxBody is the limit of a decompressed body, in bytes. Two bytes of protobuf can be a message
// that takes a hundred bytes of memory.
const MaxBody = 2 << 20

// The fields of points.
const (
	FieldValue  = "value" // of gauges and sums
	fieldCount  = "count" // of histograms, as the fields below
	fieldSum    = "sum"
	fieldMin    = "min"
	fieldMax    = "max"
	fieldBucket = "bucket_" // and the upper bound of the bucket, or inf: values in the bucket alone
)

// CodeUnsupported is the code of a point of a type that is not stored.
const CodeUnsupported = "unsupported-type"

// ErrSyntax is returned for a body that is not a request to export metrics.
var ErrSyntax = errors.New("the body is not an OTLP request to export metrics")

// Options are the settings of Decode.
type Options struct {
	JSON   bool      // the body is JSON, not protobuf
	Now    time.Time // of points without a time
	Points int       // limit of a body
	Parts  int       // limit of the attributes of a point
}

// Decode returns the data points of a body in their order. A point that is not stored has Err.
// The error is ErrSyntax, or ingest.ErrTooMany.
func Decode(body []byte, o Options) ([]source.Point, error) {
	// On the wire, MetricsData is the request of the service, without the service's dependencies.
	var data metrics.MetricsData
	unmarshal := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	if o.JSON {
		unmarshal = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	}
	if err := unmarshal(body, &data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	d := decoder{Options: o}
	for _, r := range data.ResourceMetrics {
		d.resource = resourceTags(r.GetResource().GetAttributes())
		for _, scope := range r.ScopeMetrics {
			for _, m := range scope.Metrics {
				d.metric(m)
			}
		}
	}
	if d.count > o.Points {
		return nil, fmt.Errorf("%w: at most %d data points; export smaller batches", ingest.ErrTooMany, o.Points)
	}
	return d.points, nil
}

// decoder collects the points of a body.
type decoder struct {
	Options
	resource []source.Tag // of the present resource
	count    int          // data points, including those beyond the limit
	points   []source.Point
}

// resourceTags returns the attributes of a resource that have a single value.
func resourceTags(attributes []*common.KeyValue) (tags []source.Tag) {
	for _, a := range attributes {
		if text, ok := textOf(a.GetValue()); ok {
			tags = append(tags, source.Tag{Name: a.Key, Value: text, Resource: true})
		}
	}
	return tags
}

// textOf returns a single value as text. ok is false for lists, maps and bytes.
func textOf(v *common.AnyValue) (text string, ok bool) {
	switch v := v.GetValue().(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue, true
	case *common.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue), true
	case *common.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10), true
	case *common.AnyValue_DoubleValue:
		return float(v.DoubleValue), true
	case nil:
		return "", true
	}
	return "", false
}

func float(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// dataPoint is what all types of data points have.
type dataPoint interface {
	GetAttributes() []*common.KeyValue
	GetTimeUnixNano() uint64
	GetFlags() uint32
}

// metric adds the points of a metric.
func (d *decoder) metric(m *metrics.Metric) {
	switch data := m.Data.(type) {
	case *metrics.Metric_Gauge:
		add(d, m.Name, data.Gauge.GetDataPoints(), numberFields)
	case *metrics.Metric_Sum:
		add(d, m.Name, data.Sum.GetDataPoints(), numberFields)
	case *metrics.Metric_Histogram:
		add(d, m.Name, data.Histogram.GetDataPoints(), histogramFields)
	case *metrics.Metric_ExponentialHistogram:
		refuse(d, m.Name, "an exponential histogram", data.ExponentialHistogram.GetDataPoints())
	case *metrics.Metric_Summary:
		refuse(d, m.Name, "a summary", data.Summary.GetDataPoints())
	}
}

// refuse adds points of a type that is not stored.
func refuse[P dataPoint](d *decoder, name, what string, points []P) {
	for range points {
		d.add(source.Invalid(d.count+1, CodeUnsupported, fmt.Sprintf("%.64q is %s, which is not stored: export a gauge, a sum, or a histogram with explicit buckets", name, what)))
	}
}

// add adds points, with the fields that fields returns. A point that only says that there is no
// value has nothing to store.
func add[P dataPoint](d *decoder, name string, points []P, fields func(P) []ingest.Field) {
	for _, p := range points {
		if p.GetFlags()&uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK) == 0 {
			d.add(d.point(name, p, fields(p)))
		}
	}
}

func (d *decoder) add(p source.Point) {
	if d.count++; d.count <= d.Points {
		d.points = append(d.points, p)
	}
}

func (d *decoder) point(name string, p dataPoint, fields []ingest.Field) source.Point {
	line := d.count + 1
	out := source.Point{Line: line, Name: name, Tags: d.resource[:len(d.resource):len(d.resource)], Fields: fields, At: d.Now}
	if n := len(p.GetAttributes()); n > d.Parts {
		return source.Invalid(line, ingest.CodeTooManyFields, fmt.Sprintf("%.64q has %d attributes: at most %d", name, n, d.Parts))
	}
	for _, a := range p.GetAttributes() {
		text, ok := textOf(a.GetValue())
		if !ok {
			return source.Invalid(line, CodeUnsupported, fmt.Sprintf("the attribute %.64q of %.64q is a list, a map or bytes: want a single value", a.Key, name))
		}
		out.Tags = append(out.Tags, source.Tag{Name: a.Key, Value: text})
	}
	if t := p.GetTimeUnixNano(); t != 0 {
		out.At = time.Unix(int64(t/1e9), int64(t%1e9))
	}
	return out
}

func numberFields(p *metrics.NumberDataPoint) []ingest.Field {
	text := strconv.FormatInt(p.GetAsInt(), 10)
	if v, ok := p.Value.(*metrics.NumberDataPoint_AsDouble); ok {
		text = float(v.AsDouble)
	}
	return []ingest.Field{number(FieldValue, text)}
}

func histogramFields(p *metrics.HistogramDataPoint) []ingest.Field {
	fields := []ingest.Field{number(fieldCount, strconv.FormatUint(p.Count, 10))}
	for _, f := range []struct {
		name  string
		value *float64
	}{{fieldSum, p.Sum}, {fieldMin, p.Min}, {fieldMax, p.Max}} {
		if f.value != nil {
			fields = append(fields, number(f.name, float(*f.value)))
		}
	}
	for i, n := range p.BucketCounts {
		bound := "inf"
		if i < len(p.ExplicitBounds) {
			bound = float(p.ExplicitBounds[i])
		}
		fields = append(fields, number(fieldBucket+bound, strconv.FormatUint(n, 10)))
	}
	return fields
}

func number(name, text string) ingest.Field {
	return ingest.Field{Name: name, Form: ingest.NumberForm, Text: text}
}
