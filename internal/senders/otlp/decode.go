// Package otlp decodes the metrics of OTLP over HTTP, in protobuf and JSON, as SDKs and
// collectors of OpenTelemetry export them, with the published messages.
package otlp

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/model"
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
	// of summaries: and the quantile
	fieldQuantile = "quantile_"
)

// The codes of points that are not stored.
const (
	CodeUnsupported = "unsupported-type" // a type or a temporality that is not stored
	CodeNoValue     = "no-value"         // a number without a number
	CodeSeries      = "series"           // the name or the attributes do not tell the series
)

// ErrSyntax is returned for a body that is not a request to export metrics.
var ErrSyntax = errors.New("the body is not an OTLP request to export metrics")

// Options are the settings of Decode.
type Options struct {
	JSON   bool      // the body is JSON, not protobuf
	Now    time.Time // of points without a time
	Points int       // limit of a body
	Parts  int       // limit of the attributes of a point, and of its resource and scope together
}

// objectsEach is how many objects of JSON a body may have for each of its points: a point has an object or
// two for each attribute. Empty objects take a hundred times their bytes.
const objectsEach = 250

// Decode returns the data points of a body in their order. A point that is not stored has Err.
// The error is ErrSyntax, or ingest.ErrTooMany.
func Decode(body []byte, o Options) ([]points.Point, error) {
	// On the wire, MetricsData is the request of the service, without the service's dependencies.
	var data metrics.MetricsData
	unmarshal := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	escape := func(body []byte) []byte { return escapeTexts(body, data.ProtoReflect().Descriptor(), 0) }
	if o.JSON {
		if bytes.Count(body, []byte("{")) > objectsEach*o.Points {
			return nil, fmt.Errorf("%w: at most %d objects; export smaller batches", ingest.ErrTooMany,
				objectsEach*o.Points)
		}
		escape = points.Escape
		unmarshal = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal
	}
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	err := unmarshal(body, &data)
	isEscaped := err != nil && strings.Contains(err.Error(), "UTF-8")
	if isEscaped {
		body = escape(body)
		err = unmarshal(body, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	d := decoder{Options: o}
	for _, r := range data.ResourceMetrics {
		for _, scope := range r.ScopeMetrics {
			d.shared, d.wrong = sharedTags(r.GetResource(), scope.GetScope(), o.Parts)
			for _, m := range scope.Metrics {
				d.metric(m)
			}
		}
	}
	if d.count+d.withoutValue == 0 { // such as traces, or a list of data points with another name
		if err := onlyKnown(body, o.JSON); err != nil {
			return nil, fmt.Errorf("%w: it has no data point, but %w", ErrSyntax, err)
		}
	}
	if d.count > o.Points {
		return nil, fmt.Errorf("%w: at most %d data points; export smaller batches", ingest.ErrTooMany, o.Points)
	}
	if isEscaped {
		unescape(d.points)
	}
	return d.points, nil
}

// decoder collects the points of a body.
type decoder struct {
	Options
	shared []points.Tag // of the present resource and scope
	wrong  string       // with the attributes of the present resource or scope
	count  int          // data points, including those beyond the limit
	points []points.Point
	// withoutValue counts the data points that say that they have no value.
	withoutValue int
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
		if d.temporality(m.Name, data.Sum.GetAggregationTemporality(), len(data.Sum.GetDataPoints())) {
			add(d, m.Name, data.Sum.GetDataPoints(), numberFields)
		}
	case *metrics.Metric_Histogram:
		if !d.temporality(m.Name, data.Histogram.GetAggregationTemporality(), len(data.Histogram.GetDataPoints())) {
			return
		}
		add(d, m.Name, data.Histogram.GetDataPoints(), histogramFields)
	case *metrics.Metric_ExponentialHistogram:
		given := data.ExponentialHistogram.GetDataPoints()
		if d.temporality(m.Name, data.ExponentialHistogram.GetAggregationTemporality(), len(given)) {
			add(d, m.Name, given, exponentialFields, exponentialBuckets)
		}
	case *metrics.Metric_Summary:
		add(d, m.Name, data.Summary.GetDataPoints(), summaryFields)
	default:
		d.add(points.Invalid(d.count+1, CodeUnsupported,
			fmt.Sprintf("%.64q has no data of a type that is known: export a gauge, a sum, a histogram or a "+
				"summary", m.Name)))
	}
}

// temporality reports whether the temporality of n points is one that the protocol has. If it is not, the
// points are refused: a number whose meaning is unknown is not stored.
func (d *decoder) temporality(name string, t metrics.AggregationTemporality, n int) bool {
	if t == metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA ||
		t == metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
		return true
	}
	for range n {
		d.add(points.Invalid(d.count+1, CodeUnsupported,
			fmt.Sprintf("%.64q has the aggregation temporality %d, which has no meaning: send 1 (delta) or "+
				"2 (cumulative)", name, t)))
	}
	return false
}

// add adds points, with the fields that fields returns, of which parts are dropped. A point that only says
// that there is no value has nothing to store. A point without a value that does not say so is refused: it is
// not 0.
func add[P dataPoint](d *decoder, name string, given []P, fields func(P) ([]ingest.Field, string),
	dropped ...model.FieldError) {
	for _, p := range given {
		if p.GetFlags()&uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK) != 0 {
			d.withoutValue++
			continue
		}
		read, wrong := fields(p)
		if wrong != "" {
			message := fmt.Sprintf("%.64q has a data point %s", name, wrong)
			d.add(points.Invalid(d.count+1, CodeNoValue, message))
			continue
		}
		one := d.point(name, p, read)
		one.Dropped = dropped
		d.add(one)
	}
}

func (d *decoder) add(p points.Point) {
	if d.count++; d.count <= d.Points {
		d.points = append(d.points, p)
	}
}

func (d *decoder) point(name string, p dataPoint, fields []ingest.Field) points.Point {
	line := d.count + 1
	if n := len(p.GetAttributes()); n > d.Parts {
		return points.Invalid(line, ingest.CodeTooManyFields,
			fmt.Sprintf("%.64q has %d attributes: at most %d", name, n, d.Parts))
	}
	own, wrong := attributeTags(p.GetAttributes(), points.Tag{})
	if name == "" {
		wrong = "without the name of a metric"
	}
	if wrong = cmp.Or(d.wrong, wrong); wrong != "" {
		return points.Invalid(line, CodeSeries, fmt.Sprintf("%.64q has a data point %s", name, wrong))
	}
	out := points.Point{Line: line, Name: name, Tags: slices.Concat(d.shared, own), Fields: fields, At: d.Now}
	if t := p.GetTimeUnixNano(); t != 0 {
		out.At = time.Unix(int64(t/1e9), int64(t%1e9))
	}
	return out
}

// numberFields returns the value of a point, or why it has none.
func numberFields(p *metrics.NumberDataPoint) (fields []ingest.Field, wrong string) {
	switch v := p.Value.(type) {
	case *metrics.NumberDataPoint_AsDouble:
		return []ingest.Field{number(FieldValue, float(v.AsDouble))}, ""
	case *metrics.NumberDataPoint_AsInt:
		return []ingest.Field{number(FieldValue, strconv.FormatInt(v.AsInt, 10))}, ""
	}
	return nil, "without a value: nothing is stored of it; send asDouble or asInt, or the flag for no " +
		"recorded value"
}

func number(name, text string) ingest.Field {
	return ingest.Field{Name: name, Form: ingest.NumberForm, Text: text}
}
