package main

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// remoteWrite is a request of Prometheus with samples of one series.
func remoteWrite(t *testing.T, samples ...prompb.Sample) write {
	t.Helper()
	r := prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{
		Labels: []prompb.Label{
			{Name: "__name__", Value: "up"}, {Name: "instance", Value: "web-1:9100"}, {Name: "job", Value: "node"},
		},
		Samples: samples,
	}}}
	text, err := r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return write{
		path: access.PathRemoteWrite, key: anyKey, base64: true,
		body: base64.StdEncoding.EncodeToString(snappy.Encode(nil, text)),
		headers: map[string]string{
			"content-type": "application/x-protobuf", "content-encoding": "snappy",
			"x-prometheus-remote-write-version": "0.1.0",
		},
	}
}

// The headers say how many samples are written, and a repeated one is. A value that is no number is too:
// Prometheus counts what is not as failed, and a request of which nothing is as one to a wrong receiver.
func TestRemoteWrite_CountsWhatIsWritten(t *testing.T) {
	t.Parallel()
	f := newCollector(t, nil, nil)
	at := now().Time().UnixMilli()
	good, nan := prompb.Sample{Value: 1, Timestamp: at}, prompb.Sample{Value: math.NaN(), Timestamp: at + 1}
	other := prompb.Sample{Value: 2, Timestamp: at}
	for _, step := range []struct {
		samples           []prompb.Sample
		status            int
		written, notStore string
		message           string
	}{
		{samples: []prompb.Sample{good}, status: 204, written: "1"},
		{samples: []prompb.Sample{good, nan}, status: 204, written: "2", notStore: "1"},
		{samples: []prompb.Sample{nan}, status: 204, written: "1", notStore: "1"},
		{
			samples: []prompb.Sample{other, {Value: 3, Timestamp: at + 2}}, status: 400, written: "1", notStore: "1",
			message: "sample 1: a point of this series and time is stored with another value",
		},
		{samples: make([]prompb.Sample, 2001), status: 413, message: "max_samples_per_send"},
	} {
		got := f.write(t, remoteWrite(t, step.samples...))
		if got.StatusCode != step.status || !strings.Contains(got.Body, step.message) ||
			got.Headers["X-Prometheus-Remote-Write-Samples-Written"] != step.written ||
			got.Headers["Tidemark-Not-Stored"] != step.notStore {
			t.Errorf("%d samples: %d %s %v, want %+v", len(step.samples), got.StatusCode, got.Body, got.Headers, step)
		}
	}
	requireEvents(t, f,
		"HOST/web-1:9100/METRIC up,job=node "+model.Time(at).String()+" value=1",
		"HOST/web-1:9100/METRIC up,job=node "+model.Time(at+2).String()+" value=3")
}

func TestRemoteWrite_RefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	f := newCollector(t, nil, nil)
	for header, c := range map[string]struct {
		value  string
		status int
	}{
		"content-type":     {value: "application/json", status: 415},
		"content-encoding": {value: "gzip", status: 415},
	} {
		w := remoteWrite(t, prompb.Sample{Value: 1, Timestamp: 5})
		w.headers[header] = c.value
		if got := f.write(t, w); got.StatusCode != c.status || got.Body == "" {
			t.Errorf("%s %s: %d %s, want %d", header, c.value, got.StatusCode, got.Body, c.status)
		}
	}
	w := remoteWrite(t, prompb.Sample{Value: 1, Timestamp: 5})
	w.headers["content-type"] = "application/x-protobuf;proto=io.prometheus.write.v3.Request"
	if got := f.write(t, w); got.StatusCode != 415 {
		t.Errorf("an unknown version: %d %s, want 415", got.StatusCode, got.Body)
	}
	w = remoteWrite(t, prompb.Sample{Value: 1, Timestamp: 5})
	w.key = nil
	if got := f.write(t, w); got.StatusCode != 401 {
		t.Errorf("without a key: %d, want 401", got.StatusCode)
	}
}

// native is a histogram as a client library observes it: five values in three buckets.
var native = &histogram.Histogram{
	Schema: 3, ZeroThreshold: 1e-128, ZeroCount: 1, Count: 5, Sum: 18.4,
	PositiveSpans:   []histogram.Span{{Offset: 1, Length: 2}, {Offset: 3, Length: 1}},
	PositiveBuckets: []int64{1, 1, -1},
}

// mixedWrite is a request with a sample of a counter between native histograms of integers and of floats.
func mixedWrite(t *testing.T, at int64) (version1, version2 write) {
	t.Helper()
	up := []prompb.Label{{Name: "__name__", Value: "up"}, {Name: "instance", Value: "web-1:9100"}}
	took := []prompb.Label{{Name: "__name__", Value: "took_seconds"}, {Name: "instance", Value: "web-1:9100"}}
	one := prompb.WriteRequest{Timeseries: []prompb.TimeSeries{
		{Labels: took, Histograms: []prompb.Histogram{prompb.FromIntHistogram(at, native)}},
		{Labels: up, Samples: []prompb.Sample{{Value: 1, Timestamp: at}}},
		{Labels: took, Histograms: []prompb.Histogram{prompb.FromFloatHistogram(at+1, native.ToFloat(nil))}},
	}}
	symbols := writev2.NewSymbolTable()
	references := func(labels []prompb.Label) (all []uint32) {
		for _, l := range labels {
			all = append(all, symbols.Symbolize(l.Name), symbols.Symbolize(l.Value))
		}
		return all
	}
	two := writev2.Request{Timeseries: []writev2.TimeSeries{
		{LabelsRefs: references(took), Histograms: []writev2.Histogram{writev2.FromIntHistogram(0, at, native)}},
		{LabelsRefs: references(up), Samples: []writev2.Sample{{Value: 1, Timestamp: at}}},
		{LabelsRefs: references(took),
			Histograms: []writev2.Histogram{writev2.FromFloatHistogram(0, at+1, native.ToFloat(nil))}},
	}}
	two.Symbols = symbols.Symbols()
	version1, version2 = remoteWrite(t), remoteWrite(t)
	text, err := one.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	version1.body = base64.StdEncoding.EncodeToString(snappy.Encode(nil, text))
	if text, err = two.Marshal(); err != nil {
		t.Fatal(err)
	}
	version2.body = base64.StdEncoding.EncodeToString(snappy.Encode(nil, text))
	version2.headers["content-type"] = "application/x-protobuf;proto=io.prometheus.write.v2.Request"
	version2.headers["x-prometheus-remote-write-version"] = "2.0.0"
	return version1, version2
}

// Of a request with native histograms the samples are stored. The specification of version 2 wants 400, which
// no sender repeats, with what is not written in the message and the headers ("Partial Write").
func TestRemoteWrite_StoresTheSamplesBesideNativeHistograms(t *testing.T) {
	t.Parallel()
	at := now().Time().UnixMilli()
	version1, version2 := mixedWrite(t, at)
	for name, request := range map[string]write{"version 1": version1, "version 2": version2} {
		f := newCollector(t, nil, nil)
		for range 2 { // a repetition, too
			got := f.write(t, request)
			want := map[string]string{
				"X-Prometheus-Remote-Write-Samples-Written": "1", "X-Prometheus-Remote-Write-Histograms-Written": "0",
				"X-Prometheus-Remote-Write-Exemplars-Written": "0", "Tidemark-Not-Stored": "2", "Retry-After": "",
			}
			for header, value := range want {
				if got.Headers[header] != value {
					t.Errorf("%s: %s is %q, want %q", name, header, got.Headers[header], value)
				}
			}
			if got.StatusCode != 400 || !strings.Contains(got.Body, `"took_seconds" has a native histogram`) ||
				!strings.HasSuffix(got.Body, "2 of 3 samples are not stored, the others are "+
					"(2 native histograms are not stored)") {
				t.Errorf("%s: %d %s", name, got.StatusCode, got.Body)
			}
		}
		requireEvents(t, f, "HOST/web-1:9100/METRIC up "+model.Time(at).String()+" value=1")
	}
}
