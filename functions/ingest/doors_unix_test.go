//go:build unix

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/limits/doortest"
)

// observed is the number of observations of the worst requests, the most that one may have.
const observed = 1000

// TestDoors sends the worst request that each source accepts.
func TestDoors(t *testing.T) {
	filler := strings.Repeat("x", 850)
	var objects, lines []string
	all := new(metrics.MetricsData)
	var samples prompb.WriteRequest
	for i := range observed {
		const object = `{"deviceId":"d%d","timestamp":%d,"temperature":1,"note":"%s"}`
		objects = append(objects, fmt.Sprintf(object, i, now()/1000, filler))
		const line = `m,host=d%d note="%s",temperature=1 %d`
		lines = append(lines, fmt.Sprintf(line, i, filler, int64(now())*1e6))
		export := exported(gauge("a", double(1)))
		export.ResourceMetrics[0].Resource.Attributes[0] = text("host.name", fmt.Sprint("d", i))
		all.ResourceMetrics = append(all.ResourceMetrics, export.ResourceMetrics...)
		samples.Timeseries = append(samples.Timeseries, prompb.TimeSeries{
			Labels: []prompb.Label{
				{Name: "__name__", Value: "up"}, {Name: "instance", Value: fmt.Sprint("d", i)},
			},
			Samples: []prompb.Sample{{Value: 1, Timestamp: int64(now())}},
		})
	}
	sampled, err := samples.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	remote := remoteWrite(t)
	remote.body = base64.StdEncoding.EncodeToString(snappy.Encode(nil, sampled))
	var props []string
	for i := range 30 {
		props = append(props, fmt.Sprintf(`"p%d":"%s"`, i, strings.Repeat("x", 2_000)))
	}
	view := `{"name":"signup","url":"https://my-site.example/a","domain":"my-site.example","props":{` +
		strings.Join(props, ",") + `}}`
	for _, c := range []struct {
		door           string
		status, stored int
		write
	}{
		{"POST /v1/{kinds}, JSON", 200, observed,
			write{path: "/v1/readings", body: "[" + strings.Join(objects, ",") + "]"}},
		{"POST /v1/{kinds}, NDJSON", 200, observed,
			write{path: "/v1/readings", body: strings.Join(objects, "\n"),
				headers: map[string]string{"content-type": "application/x-ndjson"}}},
		{"line protocol", 204, observed,
			write{path: "/api/v2/write", query: "bucket=b", key: anyKey, body: strings.Join(lines, "\n")}},
		{"OTLP", 200, observed, export(t, false, all)},
		{"remote write", 204, observed, remote},
		{"POST /v1/collect/{key}, POST /api/event", 202, 1, write{path: access.PathEvent, body: view,
			headers: map[string]string{"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}}},
	} {
		f := newCollector(t, withSite, nil)
		payload := c.payload(t)
		doortest.Measure(t, c.door, func(ctx context.Context) doortest.Sent {
			got, err := f.handle(ctx, payload)
			if err != nil {
				t.Fatal(c.door, err)
			}
			response := got.(events.APIGatewayV2HTTPResponse)
			if response.StatusCode != c.status {
				t.Fatalf("%s: %d %.300s, want %d", c.door, response.StatusCode, response.Body, c.status)
			}
			writes := cost.WriteUnitsAtMost(f.table)
			if writes < c.stored*4 { // an event and its latest item
				t.Errorf("%s: %d write units, want %d events stored", c.door, writes, c.stored)
			}
			return doortest.Sent{Writes: writes, Bytes: len(response.Body)}
		})
	}
}
