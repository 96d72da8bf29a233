package main

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

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

// The headers say how many samples are written, and a repeated one is.
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
		{samples: []prompb.Sample{good, nan}, status: 204, written: "1", notStore: "1"},
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
