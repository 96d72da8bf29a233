package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// sourcePoints is how many points a request of a source has: 100 of each of 10 series.
const sourcePoints = 1000

// pointTime returns the time of a point of a request, in milliseconds. Points of other requests have
// other times.
func pointTime(request, point int) int64 {
	return 1776600000000 + int64(request*sourcePoints+point)*10
}

// joined joins what each makes of the points of a request.
func joined(separator string, each func(point int) string) string {
	all := make([]string, sourcePoints)
	for i := range all {
		all[i] = each(i)
	}
	return strings.Join(all, separator)
}

// payloadsOf make the payload of a request with the same points for each source.
var payloadsOf = map[string]func(t *testing.T, request int) []byte{
	"JSON lines over HTTP": func(t *testing.T, request int) []byte {
		return write{path: "/v1/readings", headers: map[string]string{"content-type": "application/x-ndjson"},
			body: joined("\n", func(i int) string {
				return fmt.Sprintf(`{"deviceId":"d%d","timestamp":%d,"value":%d.5}`, i%10, pointTime(request, i), i)
			})}.payload(t)
	},
	"line protocol": func(t *testing.T, request int) []byte {
		return write{path: "/api/v2/write", query: "bucket=b&precision=ms", key: anyKey,
			body: joined("\n", func(i int) string {
				return fmt.Sprintf("cpu,host=d%d value=%d.5 %d", i%10, i, pointTime(request, i))
			})}.payload(t)
	},
	"OTLP, protobuf": func(t *testing.T, request int) []byte { return export(t, false, sourceMetrics(request)).payload(t) },
	"OTLP, JSON":     func(t *testing.T, request int) []byte { return export(t, true, sourceMetrics(request)).payload(t) },
	"AWS IoT rule": func(t *testing.T, request int) []byte {
		message := "[" + joined(",", func(i int) string {
			return fmt.Sprintf(`{"stream":"s%d","timestamp":%d,"value":%d.5}`, i%10, pointTime(request, i), i)
		}) + "]"
		payload, err := envelope.ByRule([]byte(message), "READING", "d", true)
		if err != nil {
			t.Fatal(err)
		}
		return payload
	},
	"AWS IoT, batched": func(t *testing.T, request int) []byte {
		return write{path: envelope.PathMessages, rule: true, body: "[" + joined(",", func(i int) string {
			return ofThing(fmt.Sprintf("d%d", i%10), fmt.Sprintf("%d-%d", request, i),
				fmt.Sprintf(`"timestamp":%d,"value":%d.5`, pointTime(request, i), i))
		}) + "]"}.payload(t)
	},
	"queue":       func(t *testing.T, request int) []byte { return newBatch(t, "aws:sqs", sourceArrays(request)...) },
	"data stream": func(t *testing.T, request int) []byte { return newBatch(t, "aws:kinesis", sourceArrays(request)...) },
}

// sourceMetrics is one gauge of a service with the points of a request.
func sourceMetrics(request int) *metrics.MetricsData {
	points := make([]*metrics.NumberDataPoint, sourcePoints)
	for i := range points {
		points[i] = double(float64(i)+0.5, text("cpu", fmt.Sprint(i%10)))
		points[i].TimeUnixNano = uint64(pointTime(request, i)) * 1e6
	}
	return exported(gauge("usage", points...))
}

// sourceArrays are ten records with a tenth of the points each.
func sourceArrays(request int) (bodies []string) {
	points := strings.Split(joined("\n", func(i int) string {
		return fmt.Sprintf(`{"deviceId":"d%d","timestamp":%d,"value":%d.5}`, i%10, pointTime(request, i), i)
	}), "\n")
	for i := range 10 {
		bodies = append(bodies, "["+strings.Join(points[i*sourcePoints/10:(i+1)*sourcePoints/10], ",")+"]")
	}
	return bodies
}

// Each source stores the points of its requests, and the test prints how many a second from the
// payload to the response, with the table in memory: decoding, validation and planning.
func TestSources_ThroughputOfEachBesideTheOthers(t *testing.T) {
	const requests = 3
	for name, payloadOf := range payloadsOf {
		f := newCollector(t, nil, nil)
		var payloads [requests][]byte
		for i := range payloads {
			payloads[i] = payloadOf(t, i)
		}
		began := time.Now()
		for i, payload := range payloads {
			response, err := f.handle(invocation(t, fmt.Sprint(i)), payload)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if r, ok := response.(events.APIGatewayV2HTTPResponse); ok && r.StatusCode/100 != 2 {
				t.Fatalf("%s: %d %.300s", name, r.StatusCode, r.Body)
			}
		}
		took := time.Since(began)
		stored, bytes := 0, 0
		for _, record := range f.table.Records(0) {
			if _, err := keys.ParseEvent(record.Keys); err == nil {
				stored++
			}
		}
		for _, payload := range payloads {
			bytes += len(payload)
		}
		if stored != requests*sourcePoints {
			t.Errorf("%s: %d events stored, want %d", name, stored, requests*sourcePoints)
		}
		t.Logf("%-22s %7.0f points a second, %4d bytes a point", name, float64(stored)/took.Seconds(), bytes/stored)
	}
}
