package remotewrite_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/prompb"
	write "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/internal/senders/remotewrite"
)

// series are labels, name and value by turns, and the samples of one series.
type series struct {
	labels     []string
	samples    []prompb.Sample
	histograms int
}

// body encodes series by the messages of a version.
func body(t *testing.T, version2 bool, all ...series) []byte {
	t.Helper()
	encode := version1
	if version2 {
		encode = version2Body
	}
	text, err := encode(all)
	if err != nil {
		t.Fatal(err)
	}
	return snappy.Encode(nil, text)
}

func version1(all []series) ([]byte, error) {
	var r prompb.WriteRequest
	for _, s := range all {
		one := prompb.TimeSeries{Samples: s.samples, Histograms: make([]prompb.Histogram, s.histograms)}
		for pair := range slices.Chunk(s.labels, 2) {
			one.Labels = append(one.Labels, prompb.Label{Name: pair[0], Value: pair[1]})
		}
		r.Timeseries = append(r.Timeseries, one)
	}
	return r.Marshal()
}

func version2Body(all []series) ([]byte, error) {
	symbols := write.NewSymbolTable()
	var r write.Request
	for _, s := range all {
		one := write.TimeSeries{Histograms: make([]write.Histogram, s.histograms)}
		for _, text := range s.labels {
			one.LabelsRefs = append(one.LabelsRefs, symbols.Symbolize(text))
		}
		for _, sample := range s.samples {
			one.Samples = append(one.Samples, write.Sample{Value: sample.Value, Timestamp: sample.Timestamp})
		}
		r.Timeseries = append(r.Timeseries, one)
	}
	r.Symbols = symbols.Symbols()
	return r.Marshal()
}

// shown returns points as text.
func shown(all []points.Point) (lines []string) {
	for _, p := range all {
		if p.Err != nil {
			lines = append(lines, fmt.Sprintf("%d %s: %s", p.Line, p.Err.Code, p.Err.Message))
			continue
		}
		ms := p.At.UnixMilli()
		lines = append(lines, fmt.Sprintf("%d %s%v %s at %d", p.Line, p.Name, p.Tags, p.Fields[0].Text, ms))
	}
	return lines
}

var limits = remotewrite.Options{Points: 10, Parts: 5}

func TestDecode_BothVersionsHaveTheSameSamples(t *testing.T) {
	t.Parallel()
	stale := math.Float64frombits(value.StaleNaN)
	all := []series{
		{
			labels:  []string{"__name__", "up", "instance", "h:9100", "job", "node", "empty", ""},
			samples: []prompb.Sample{{Value: 1, Timestamp: 1793523600123}, {Value: stale, Timestamp: 1793523660123}},
		},
		{labels: []string{"__name__", "rate"}, samples: []prompb.Sample{
			{Value: math.NaN(), Timestamp: 5}, {Value: math.Inf(1), Timestamp: 6}, {Value: -2.5e-7, Timestamp: 7},
		}},
		{labels: []string{"job", "x"}, samples: []prompb.Sample{{Value: 1}}},
		{labels: []string{"__name__", "a", "b", "1", "b", "2"}, samples: []prompb.Sample{{Value: 1}}},
		{labels: []string{"__name__", "native"}, histograms: 1},
	}
	want := []string{
		"1 up[{instance h:9100 false} {job node false}] 1 at 1793523600123",
		`2 nothing: "rate" is NaN, which is no number: it is not stored`,
		`3 nothing: "rate" is +Inf, which is no number: it is not stored`,
		"4 rate[] -2.5e-07 at 7",
		`5 labels: "": the series has no label __name__, which names its metric`,
		`6 labels: "a": the label "b" is there twice`,
		`7 unsupported-type: "native" has a native histogram, which is not stored: ` +
			"set send_native_histograms: false, and let it be scraped with classic buckets",
	}
	for _, version2 := range []bool{false, true} {
		o := limits
		o.Version2 = version2
		batch, err := remotewrite.Decode(body(t, version2, all...), o)
		if got := shown(batch.Points); err != nil || !slices.Equal(got, want) || batch.Ended != 1 {
			t.Errorf("version 2 %v: %v, %d ended\n got %s\nwant %s", version2, err, batch.Ended,
				strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
	}
}

func TestDecode_ABodyThatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	large := snappy.Encode(nil, make([]byte, remotewrite.MaxBody+1))
	one := series{labels: []string{"__name__", "a"}, samples: make([]prompb.Sample, 1)}
	many := series{labels: []string{"__name__", "a"}, samples: make([]prompb.Sample, 11)}
	for name, tc := range map[string]struct {
		body []byte
		want error
	}{
		"no snappy":            {body: []byte("{}"), want: remotewrite.ErrSyntax},
		"snappy of no message": {body: snappy.Encode(nil, []byte("{}")), want: remotewrite.ErrSyntax},
		"too many samples":     {body: body(t, false, many), want: ingest.ErrTooMany},
		"too large":            {body: large, want: remotewrite.ErrTooLarge},
		"version 2":            {body: body(t, true, one), want: remotewrite.ErrSyntax},
	} {
		if _, err := remotewrite.Decode(tc.body, limits); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestDecode_ReferencesBeyondTheSymbolsAreNamed(t *testing.T) {
	t.Parallel()
	o := limits
	o.Version2 = true
	for _, references := range [][]uint32{{1}, {1, 9}, {math.MaxUint32, 1}} {
		r := write.Request{Symbols: []string{"", "a"}, Timeseries: []write.TimeSeries{
			{LabelsRefs: references, Samples: []write.Sample{{Value: 1}}},
		}}
		text, err := r.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		batch, err := remotewrite.Decode(snappy.Encode(nil, text), o)
		if err != nil || len(batch.Points) != 1 || batch.Points[0].Err == nil {
			t.Errorf("%v: %+v, %v; want one sample with an error", references, batch, err)
		}
	}
}

// Whatever the bytes are, Decode returns points that the mapping can read, and never panics.
func FuzzDecode(f *testing.F) {
	one := series{labels: []string{"__name__", "up", "job", "a"}, samples: []prompb.Sample{{Value: 1}}}
	first, _ := version1([]series{one})
	second, _ := version2Body([]series{one})
	f.Add(first, false)
	f.Add(second, true)
	f.Fuzz(func(t *testing.T, text []byte, version2 bool) {
		o := limits
		o.Version2 = version2
		batch, err := remotewrite.Decode(snappy.Encode(nil, text), o)
		for _, p := range batch.Points {
			if err == nil && p.Err == nil && (p.Name == "" || len(p.Fields) != 1) {
				t.Errorf("a point without a name or value: %+v", p)
			}
		}
	})
}
