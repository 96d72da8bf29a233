// Package remotewrite decodes remote write requests, versions 1 and 2, of Prometheus and its agents, by the
// published messages.
package remotewrite

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/prompb"
	write "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
)

// MaxBody is the limit of a decompressed body, in bytes. Two bytes of protobuf can be a message that takes a
// hundred bytes of memory.
const MaxBody = 2 << 20

const (
	fieldValue = "value"    // of a sample
	labelName  = "__name__" // whose value is the name of the metric
)

// Codes of samples that are not stored.
const (
	CodeLabels      = "labels"           // the labels are not valid
	CodeUnsupported = "unsupported-type" // a native histogram
)

// Errors of a whole body.
var (
	ErrSyntax   = errors.New("the body is not a remote write request")
	ErrTooLarge = fmt.Errorf("the decompressed body has more than %d bytes: lower max_samples_per_send", MaxBody)
)

// Options are the settings of Decode.
type Options struct {
	Version2 bool // the body is io.prometheus.write.v2.Request, not prometheus.WriteRequest
	Points   int  // limit of the samples of a body
	Parts    int  // limit of the labels of a series
}

// Batch are the samples of a body.
type Batch struct {
	Points []points.Point // in their order; one that is not stored has Err
	// Ended counts the markers that a series has ended. They are no values, and there is nothing to store.
	Ended int
	// Histograms counts the native histograms among Points. None is stored, and each has Err.
	Histograms int
}

// Decode returns the samples of a body, which is compressed with snappy. The error is ErrSyntax, ErrTooLarge,
// or ingest.ErrTooMany.
func Decode(compressed []byte, o Options) (Batch, error) {
	if length, err := snappy.DecodedLen(compressed); err == nil && length > MaxBody {
		return Batch{}, ErrTooLarge
	}
	body, err := snappy.Decode(nil, compressed)
	if err != nil {
		return Batch{}, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	d := decoder{Options: o}
	decode := d.version1
	if o.Version2 {
		decode = d.version2
	}
	if err := decode(body); err != nil {
		return Batch{}, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	if d.count > o.Points {
		err := fmt.Errorf("%w: at most %d samples; lower max_samples_per_send", ingest.ErrTooMany, o.Points)
		return Batch{}, err
	}
	return d.Batch, nil
}

// decoder collects the samples of a body.
type decoder struct {
	Options
	Batch
	count int // samples, including those beyond the limit
}

func (d *decoder) version1(body []byte) error {
	var request prompb.WriteRequest
	if err := request.Unmarshal(body); err != nil {
		return err
	}
	for _, series := range request.Timeseries {
		labels := make([]points.Tag, len(series.Labels))
		for i, l := range series.Labels {
			labels[i] = points.Tag{Name: l.Name, Value: l.Value}
		}
		name, tags, wrong := d.series(labels)
		for _, s := range series.Samples {
			d.sample(name, tags, wrong, s.Value, s.Timestamp)
		}
		d.histograms(len(series.Histograms), name)
	}
	if len(request.Timeseries) == 0 && len(request.Metadata) == 0 && len(body) > 0 {
		return errVersion
	}
	return nil
}

// errVersion is for a body of another version: its messages have other numbers of fields, which are skipped.
var errVersion = errors.New("it has no series: the content type names another version of the protocol than " +
	"the body has")

func (d *decoder) version2(body []byte) error {
	var request write.Request
	if err := request.Unmarshal(body); err != nil {
		return err
	}
	for _, series := range request.Timeseries {
		labels, err := referred(request.Symbols, series.LabelsRefs)
		name, tags, wrong := d.series(labels)
		if err != nil {
			wrong = err
		}
		for _, s := range series.Samples {
			d.sample(name, tags, wrong, s.Value, s.Timestamp)
		}
		d.histograms(len(series.Histograms), name)
	}
	if len(request.Timeseries) == 0 && len(request.Symbols) == 0 && len(body) > 0 {
		return errVersion
	}
	return nil
}

// referred returns the labels whose names and values are references to symbols.
func referred(symbols []string, references []uint32) (labels []points.Tag, err error) {
	if len(references)%2 != 0 {
		return nil, errors.New("a label has no value: references to symbols come in pairs")
	}
	for pair := range slices.Chunk(references, 2) {
		name, value := int(pair[0]), int(pair[1])
		if max(name, value) >= len(symbols) {
			return nil, fmt.Errorf("a label refers to symbol %d of %d", max(name, value), len(symbols))
		}
		labels = append(labels, points.Tag{Name: symbols[name], Value: symbols[value]})
	}
	return labels, nil
}

// series returns the name of the metric of a series, and its other labels. The error is about the labels.
func (d *decoder) series(labels []points.Tag) (name string, tags []points.Tag, err error) {
	if len(labels) > d.Parts {
		return "", nil, fmt.Errorf("%d labels: at most %d", len(labels), d.Parts)
	}
	seen := map[string]bool{}
	for _, l := range labels {
		switch {
		case seen[l.Name]:
			return name, nil, fmt.Errorf("the label %.64q is there twice", l.Name)
		case l.Name == "":
			return name, nil, errors.New("a label has no name")
		case l.Name == labelName:
			name = l.Value
		case l.Value != "": // as the protocol has it, a label without a value is none
			tags = append(tags, l)
		}
		seen[l.Name] = true
	}
	if name == "" {
		return "", nil, fmt.Errorf("the series has no label %s, which names its metric", labelName)
	}
	return name, tags, nil
}

func (d *decoder) sample(name string, tags []points.Tag, wrong error, v float64, ms int64) {
	line := d.count + 1
	switch {
	case wrong != nil:
		d.add(points.Invalid(line, CodeLabels, fmt.Sprintf("%.64q: %v", name, wrong)))
	case value.IsStaleNaN(v):
		d.Ended++
	case math.IsNaN(v) || math.IsInf(v, 0): // such as a quantile of nothing: it is no fault of the sender
		message := fmt.Sprintf("%.64q is %v, which is no number: it is not stored", name, v)
		d.add(points.Invalid(line, points.CodeNothing, message))
	default:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		fields := []ingest.Field{{Name: fieldValue, Form: ingest.NumberForm, Text: text}}
		d.add(points.Point{Line: line, Name: name, Tags: tags, Fields: fields, At: time.UnixMilli(ms)})
	}
}

// histograms refuses native histograms.
func (d *decoder) histograms(n int, name string) {
	message := fmt.Sprintf("%.64q has a native histogram, which is not stored: "+
		"set send_native_histograms: false, and let it be scraped with classic buckets", name)
	d.Histograms += n
	for range n {
		d.add(points.Invalid(d.count+1, CodeUnsupported, message))
	}
}

func (d *decoder) add(p points.Point) {
	if d.count++; d.count <= d.Options.Points {
		d.Batch.Points = append(d.Batch.Points, p)
	}
}
