package bench

import (
	"fmt"
	"strings"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/lineprotocol"
	"github.com/tidemark-db/tidemark/internal/senders/otlp"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

const requestPoints = 500

// receiving compares the formats in which the same points can be sent.
func receiving(o options) *section {
	s := &section{
		title: "A request of a sender, from bytes to observations",
		intro: fmt.Sprintf("Requests of %d points with a host, a processor, a time and one value, as the deployed function decodes and maps "+
			"them: nanoseconds a point, and how many points a second that is on one core.", requestPoints),
		head: []string{"format", "bytes a point", "ns a point (range)", "points a second", "allocations a point",
			"times NDJSON (range)"},
	}
	settings := config.Default(domains.Kinds()...)
	mapping := points.Mapping{Catalog: must(settings.Catalog()), Rows: settings.Sources}
	begin := time.Date(2026, 4, 20, 14, 0, 0, 0, time.UTC)
	var objects, lines []string
	var points []string
	for i := range requestPoints {
		at := begin.Add(time.Duration(i) * time.Second)
		objects = append(objects,
			fmt.Sprintf(`{"host":"web-1","stream":"cpu,cpu=cpu%d","timestamp":%q,"value":%d.25}`, i%4,
				at.Format(time.RFC3339), i%100))
		lines = append(lines, fmt.Sprintf("cpu,cpu=cpu%d,host=web-1 value=%d.25 %d", i%4, i%100, at.UnixNano()))
		points = append(points,
			fmt.Sprintf(`{"timeUnixNano":"%d","asDouble":%d.25,"attributes":[{"key":"cpu","value":{"stringValue":"cpu%d"}}]}`, at.UnixNano(), i%100, i%4))
	}
	document := []byte(`{"resourceMetrics":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":"web-1"}}]},"scopeMetrics":[{"metrics":[{"name":"cpu","gauge":{"dataPoints":[` +
		strings.Join(points, ",") + `]}}]}]}]}`)
	var data metrics.MetricsData
	if err := protojson.Unmarshal(document, &data); err != nil {
		panic(err)
	}
	formats := []struct {
		name   string
		body   []byte
		decode func(body []byte) []ingest.Observation
	}{
		{"NDJSON", []byte(strings.Join(objects, "\n")), func(body []byte) []ingest.Observation {
			return must(ingest.DecodeLines(body, requestPoints))
		}},
		{"JSON array", []byte("[" + strings.Join(objects, ",") + "]"), func(body []byte) []ingest.Observation {
			observations, _, err := ingest.DecodeBody(body, requestPoints)
			return must(observations, err)
		}},
		{"line protocol", []byte(strings.Join(lines, "\n")), func(body []byte) []ingest.Observation {
			unit, _ := lineprotocol.ParseUnit("ns")
			o := lineprotocol.Options{Unit: unit, Now: begin, Points: requestPoints, Tags: 100, Fields: 100}
			return mapped(&mapping, must(lineprotocol.Decode(body, o)))
		}},
		{"OTLP, protobuf", must(proto.Marshal(&data)), func(body []byte) []ingest.Observation {
			return mapped(&mapping,
				must(otlp.Decode(body, otlp.Options{Now: begin, Points: requestPoints, Parts: 100})))
		}},
		{"OTLP, JSON", document, func(body []byte) []ingest.Observation {
			return mapped(&mapping,
				must(otlp.Decode(body, otlp.Options{JSON: true, Now: begin, Points: requestPoints, Parts: 100})))
		}},
	}
	var contenders []contender
	for _, f := range formats {
		for _, observation := range f.decode(f.body) {
			if observation.DecodeError != nil {
				panic(fmt.Sprintf("%s: %v", f.name, observation.DecodeError))
			}
		}
		contenders = append(contenders, contender{
			name: f.name, per: requestPoints, run: func() { keep(len(f.decode(f.body))) },
		})
	}
	samples := race(o.rounds, o.each, contenders...)
	for _, f := range formats {
		sample := samples[f.name]
		ratio, spread := samples["NDJSON"].ratio(sample)
		s.row(f.name, fmt.Sprint(len(f.body)/requestPoints),
			fmt.Sprintf("%s (%s)", short(sample.median()), sample.spread()),
			short(1e9/sample.median()), short(sample.allocs), fmt.Sprintf("%s (%s)", short(ratio), spread))
	}
	s.note("A deployed table takes in what its write capacity allows. DynamoDB Local limits `tidemark dev`: with one busy core it takes 1,000 " +
		"to 1,700 items a second in transactions of a hundred, and events share it with their rollups and the reads of the stream.")
	return s
}

// mapped returns points as observations.
func mapped(mapping *points.Mapping, points []points.Point) []ingest.Observation {
	all := make([]ingest.Observation, len(points))
	for i := range points {
		_, all[i] = mapping.Observation(&points[i], "")
	}
	return all
}
