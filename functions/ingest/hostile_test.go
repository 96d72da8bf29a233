package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// compressed returns a body as gzip in base64.
func compressed(t *testing.T, body []byte) string {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(body)
	if closed := z.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}

// cut returns base64 with only the first half of its bytes.
func cut(t *testing.T, text string) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data[:len(data)/2])
}

// A request of any content has the status of a data fault, never of a server error, which a
// sender repeats for ever; and its memory is bounded, since one process serves many requests.
func TestSenders_HostileInputIsADataFaultInBoundedMemory(t *testing.T) {
	const memoryOfARequest = 128 << 20 // all allocations together; today's are fewer
	packed := map[string]string{"content-encoding": "gzip"}
	metricsPacked := map[string]string{"content-encoding": "gzip", "content-type": "application/x-protobuf"}
	var tags strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&tags, ",t%d=v", i)
	}
	metrics, err := proto.Marshal(exported(gauge("a", double(1))))
	if err != nil {
		t.Fatal(err)
	}
	bomb := compressed(t, make([]byte, 100<<20))
	lines := func(body string) write {
		return write{path: "/api/v2/write", query: "bucket=b", key: anyKey, headers: packed, base64: true,
			body: body}
	}
	otlp := func(body string) write {
		return write{path: access.PathMetrics, key: anyKey, headers: metricsPacked, base64: true, body: body}
	}
	for name, c := range map[string]struct {
		write
		status int
	}{
		"lines: a gzip bomb":            {lines(bomb), 413},
		"lines: gzip that is cut":       {lines(cut(t, compressed(t, []byte(telegraf)))), 400},
		"lines: a million tags":         {lines(compressed(t, []byte("a"+tags.String()+" x=1"))), 413},
		"lines: many tags":              {lines(compressed(t, []byte("a"+tags.String()[:900_000]+"=v x=1"))), 400},
		"lines: a line of 1 MB":         {lines(compressed(t, []byte(`a x="`+strings.Repeat("v", 1_000_000)+`"`))), 400},
		"metrics: a gzip bomb":          {otlp(bomb), 413},
		"metrics: gzip that is cut":     {otlp(cut(t, compressed(t, metrics))), 400},
		"metrics: protobuf that is cut": {otlp(compressed(t, metrics[:len(metrics)/2])), 400},
		"metrics: empty objects": {write{path: access.PathMetrics, key: anyKey,
			headers: map[string]string{"content-type": "application/json"},
			body:    `{"resourceMetrics":[` + strings.Repeat("{},", 330_000) + `{}]}`}, 413},
		"metrics: empty messages": {otlp(compressed(t, bytes.Repeat([]byte("\x0a\x00"), 900_000))), 200},
	} {
		f := newCollector(t, nil, nil)
		payload := c.payload(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		response, err := f.handle(invocation(t, "1"), payload)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		status := response.(events.APIGatewayV2HTTPResponse).StatusCode
		if used := after.TotalAlloc - before.TotalAlloc; status != c.status || used > memoryOfARequest {
			t.Errorf("%s: %d in %d MB; want %d in at most %d MB", name, status, used>>20, c.status,
				memoryOfARequest>>20)
		} else {
			t.Logf("%s: %d in %d MB", name, status, used>>20)
		}
		requireEvents(t, f)
	}
}

// A line of hundreds of fields is divided into events. A request of such lines would be many times the events
// that a request may have.
func TestSenders_DivideLinesIntoLimitedEvents(t *testing.T) {
	for fields, want := range map[int]int{200: 204, 300: 413} {
		f := newCollector(t, func(c *config.Config) { c.Limits.Observations = 10 }, nil)
		var body strings.Builder
		for line := range 10 {
			body.WriteString("m ")
			for i := range fields {
				fmt.Fprintf(&body, "f%d=1,", i)
			}
			fmt.Fprintf(&body, "last=1 %d000000000\n", 1_776_600_000+line)
		}
		got := f.write(t, write{path: "/api/v2/write", query: "bucket=b", key: anyKey, body: body.String()})
		if got.StatusCode != want || (len(f.events(t)) > 0) != (want == 204) {
			t.Errorf("10 lines of %d fields: %d %s, %d events; want %d", fields, got.StatusCode, got.Body,
				len(f.events(t)), want)
		}
	}
}
