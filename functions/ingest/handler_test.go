package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// now is one second after the time of the samples.
func now() model.Time {
	t, err := model.ParseTime("2026-04-20T14:00:01Z", model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// fixture is the function on a table in memory.
type fixture struct {
	*handler
	table *memory.Table
	out   *bytes.Buffer // log and metrics
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	memory := memory.New(now)
	return onStore(t, memory, memory)
}

func newFixtureOn(t *testing.T, conf *config.Config, s store, memory *memory.Table) fixture {
	t.Helper()
	out := new(bytes.Buffer)
	metrics := &telemetry.Emitter{Out: out, Now: func() model.Time { return model.NewTime(time.Now()) }}
	r := newReporter(slog.New(slog.NewJSONHandler(out, nil)), metrics, "ingest",
		func() (float64, float64) { return 0, 0 })
	h, err := newHandler(conf, s, r)
	if err != nil {
		t.Fatal(err)
	}
	h.service.Now = now
	h.service.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return fixture{handler: h, table: memory, out: out}
}

// onStore returns a fixture whose function uses s, a wrapper of memory.
func onStore(t *testing.T, s store, memory *memory.Table) fixture {
	t.Helper()
	return newFixtureOn(t, config.Default(iot.Kinds()...), s, memory)
}

// stored returns the partitions of the stored readings and of the quarantined items.
func (f fixture) stored(t *testing.T) (readings, quarantined []string) {
	t.Helper()
	items, _, err := f.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		switch pk, sk := it[keys.AttrPK].S, it[keys.AttrSK].S; {
		case strings.HasPrefix(sk, keys.ClassEvent+"#"):
			readings = append(readings, pk)
		case strings.HasPrefix(pk, tablekeys.ClassQuarantine+"#"):
			quarantined = append(quarantined, pk)
		}
	}
	return readings, quarantined
}

func sample(t *testing.T, name string) json.RawMessage {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join("..", "..", "events", "ingest", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// invocation returns the context of an invocation.
func invocation(t *testing.T, request string) context.Context {
	return lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: request})
}

// expectation is the expected result of a sample.
type expectation struct {
	status      int      // of the HTTP response; 0 for other sources
	response    string   // outcomes in order, or the problem's type; for other sources the function's result
	readings    []string // partitions of the stored events
	quarantined []string // partitions of the quarantined items
}

var one, two = "DEVICE#sensor_01", "DEVICE#sensor_02"

var unknownSource, _, _ = strings.Cut(envelope.ErrUnknownSource.Error(), ":")

var samples = map[string]expectation{
	"http-one": {status: 200, response: "applied", readings: []string{one}},
	"http-batch": {
		status: 200, response: "applied applied late duplicate collision rejected rejected applied",
		readings: []string{one, one, one, one},
	},
	"http-ndjson-gzip": {
		status: 200, response: "applied applied applied", readings: []string{one, one, two},
	},
	"http-rejected":        {status: 400, response: "/problems/rejected"},
	"http-duplicate-names": {status: 400, response: "/problems/rejected"},
	"http-not-json":        {status: 400, response: "/problems/unreadable-body"},
	"http-empty":           {status: 400, response: "/problems/unreadable-body"},
	"http-form":            {status: 415, response: "/problems/unsupported-media-type"},
	"http-unknown-kind":    {status: 404, response: "/problems/not-found"},
	"http-get":             {status: 405, response: "/problems/method-not-allowed"},
	"rest-v1":              {status: 200, response: "applied", readings: []string{one}},
	"function-url":         {status: 200, response: "applied", readings: []string{one}},
	"alb":                  {status: 200, response: "applied applied rejected", readings: []string{one, two}},
	"sqs":                  {status: 0, response: "{[]}", readings: []string{one, one, two, two}},
	"sqs-mixed": {status: 0, response: "{[]}", readings: []string{one, one, two},
		quarantined: []string{"QUARANTINE#DEVICE#sensor_02", "QUARANTINE#sqs", "QUARANTINE#sqs"}},
	"kinesis": {status: 0, response: "{[]}", readings: []string{one, one, one}},
	"kinesis-mixed": {
		status: 0, response: "{[]}", readings: []string{one, one},
		quarantined: []string{"QUARANTINE#kinesis", "QUARANTINE#kinesis"},
	},
	"unknown-source":     {status: 0, response: unknownSource},
	"iot-one":            {status: 0, response: "map[applied:1]", readings: []string{one}},
	"iot-without-device": {status: 0, response: "map[applied:1]", readings: []string{one}},
	"iot-batch": {
		status: 0, response: "map[applied:2 rejected:1]", readings: []string{one, one},
		quarantined: []string{"QUARANTINE#DEVICE#sensor_01"},
	},
	"iot-array": {status: 0, response: "map[rejected:1]", quarantined: []string{"QUARANTINE#iot"}},
	"iot-other-device": {
		status: 0, response: "map[rejected:1]", quarantined: []string{"QUARANTINE#DEVICE#sensor_01"},
	},
	"iot-unknown-kind": {status: 0, response: "map[rejected:1]", quarantined: []string{"QUARANTINE#iot"}},
	"iot-posing-as-http": {
		status: 0, response: "map[rejected:1]", quarantined: []string{"QUARANTINE#DEVICE#sensor_01"},
	},
}

func TestSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "events", "ingest", "*.json"))
	if err != nil || len(files) != len(samples) {
		t.Errorf("%d sample files, %d expectations (%v): want one for each", len(files), len(samples), err)
	}
	for name, want := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			got, err := f.handle(invocation(t, "1"), sample(t, name))
			if err != nil {
				got, _, _ = strings.Cut(err.Error(), ":")
			}
			status, response := summary(t, got)
			readings, quarantined := f.stored(t)
			if status != want.status || response != want.response {
				t.Errorf("got %d %q, want %d %q", status, response, want.status, want.response)
			}
			if !slices.Equal(readings, want.readings) || !slices.Equal(quarantined, want.quarantined) {
				t.Errorf("stored readings %q and quarantined %q, want %q and %q", readings, quarantined, want.readings,
					want.quarantined)
			}
		})
	}
}

// summary returns a response's status, and the outcomes or the problem's type.
func summary(t *testing.T, response any) (int, string) {
	t.Helper()
	text, err := json.Marshal(response)
	if err != nil {
		t.Fatal(err)
	}
	var r struct { // the fields of every gateway's response
		StatusCode int
		Body       string
	}
	if json.Unmarshal(text, &r) != nil || r.StatusCode == 0 {
		return 0, fmt.Sprint(response)
	}
	type body struct {
		Type    string
		Outcome string
	}
	var single body
	if json.Unmarshal([]byte(r.Body), &single) == nil {
		return r.StatusCode, single.Type + map[bool]string{true: single.Outcome}[single.Type == ""]
	}
	var list []body
	if err := json.Unmarshal([]byte(r.Body), &list); err != nil {
		t.Fatalf("body %q: %v", r.Body, err)
	}
	outcomes := []string{}
	for _, b := range list {
		outcomes = append(outcomes, b.Outcome)
	}
	return r.StatusCode, strings.Join(outcomes, " ")
}

// post sends a body as the HTTP API does.
func post(t *testing.T, f fixture, body []byte,
	change func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPResponse {
	t.Helper()
	r := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: "/v1/readings", Body: string(body),
		Headers: map[string]string{"content-type": "application/json"}}
	r.RequestContext.HTTP.Method, r.RequestContext.Stage = "POST", "$default"
	if change != nil {
		change(&r)
	}
	payload, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.handle(invocation(t, "1"), payload)
	if err != nil {
		t.Fatalf("handle: %v", err)
	}
	return got.(events.APIGatewayV2HTTPResponse)
}

func TestHTTP_ReturnsTheOutcome(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	newer := `{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","id":"7","temperature":22.40,"location":"warehouse-a"}`
	older := `[{"deviceId":"sensor_01","timestamp":"2026-04-20T13:00:00+00:00","temperature":1e-7}]`
	want := []string{
		`{"outcome":"applied","subject":"sensor_01","kind":"READING","at":"2026-04-20T14:00:00.000Z","id":"7","latest":{"at":"2026-04-20T14:00:00.000Z","id":"7","fields":{"location":"warehouse-a","temperature":22.4}},"undeclared":[{"field":"location"}]}`,
		`[{"outcome":"late","subject":"sensor_01","kind":"READING","at":"2026-04-20T13:00:00.000Z","latest":{"at":"2026-04-20T14:00:00.000Z","id":"7","fields":{"location":"warehouse-a","temperature":22.4}}}]`,
	}
	for i, body := range []string{newer, older} {
		got := post(t, f, []byte(body), nil)
		if got.StatusCode != 200 || got.Body != want[i] || got.Headers["Content-Type"] != "application/json" {
			t.Errorf("status %d, headers %v\n got %s\nwant %s", got.StatusCode, got.Headers, got.Body, want[i])
		}
	}
}

func TestHTTP_ReturnsEveryErrorInAProblem(t *testing.T) {
	t.Parallel()
	unnamed := bytes.Replace(sample(t, "http-rejected"), []byte("sensor_01"), nil, 1)
	got, err := newFixture(t).handle(invocation(t, "1"), unnamed)
	if err != nil {
		t.Fatal(err)
	}
	r := got.(events.APIGatewayV2HTTPResponse)
	var p httpapi.Problem
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range p.Errors {
		codes = append(codes, e.Field+" "+e.Code)
	}
	want := []string{"timestamp time-finer", "deviceId missing"} // and nothing of _rev, which is not stored
	if !slices.Equal(codes, want) || p.Outcome != model.Rejected || p.Status != 400 || p.Title == "" ||
		p.Detail == "" {
		t.Errorf("problem %+v, want errors %q", p, want)
	}
	if r.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("content type %q, want application/problem+json", r.Headers["Content-Type"])
	}
}

func gzipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil || z.Close() != nil {
		t.Fatal("gzip failed")
	}
	return b.Bytes()
}

func TestHTTP_RejectsBodiesThatAreTooLargeOrUnreadable(t *testing.T) {
	t.Parallel()
	header := func(name, value string) func(*events.APIGatewayV2HTTPRequest) {
		return func(r *events.APIGatewayV2HTTPRequest) { r.Headers[name] = value }
	}
	packed := func(r *events.APIGatewayV2HTTPRequest) {
		r.Headers["Content-Encoding"] = "GZIP"
		r.Body, r.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(r.Body)), true
	}
	cases := []struct {
		name   string
		body   []byte
		change func(*events.APIGatewayV2HTTPRequest)
		status int
		kind   string
	}{
		{"10 MB", bytes.Repeat([]byte("x"), 10<<20), nil, 413, "/problems/too-large"},
		{"10 MB in 10 KB", gzipped(t, bytes.Repeat([]byte(" "), 10<<20+1)), packed, 413, "/problems/too-large"},
		{"1,001 observations", []byte("[" + strings.Repeat("{},", 1000) + "{}]"), nil, 413, "/problems/too-large"},
		{"1,001 lines", bytes.Repeat([]byte("{}\n"), 1001), header("content-type", "application/x-ndjson"), 413, "/problems/too-large"},
		{"no gzip", []byte("{}"), packed, 400, "/problems/unreadable-body"},
		{"gzip without a header", gzipped(t, []byte(`{"a":1}`)), nil, 400, "/problems/unreadable-body"},
		{"gzip cut off", gzipped(t, []byte(`{"a":1}`))[:20], packed, 400, "/problems/unreadable-body"},
		{"no base64", []byte("{}"), func(r *events.APIGatewayV2HTTPRequest) { r.IsBase64Encoded = true }, 400, "/problems/unreadable-body"},
		{"brotli", []byte("{}"), header("content-encoding", "br"), 415, "/problems/unsupported-media-type"},
		{"CSV", []byte("a,b"), header("content-type", "text/csv"), 415, "/problems/unsupported-media-type"},
		{"half a content type", []byte("{}"), header("content-type", "application/"), 415, "/problems/unsupported-media-type"},
		{"blank lines", []byte("\n \n"), header("content-type", "application/x-ndjson"), 400, "/problems/unreadable-body"},
		{"good and cut off", []byte(`[{"deviceId":"a","timestamp":0},`), nil, 400, "/problems/unreadable-body"},
		{"a scalar", []byte("5"), nil, 400, "/problems/unreadable-body"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			got := post(t, f, c.body, c.change)
			if status, kind := summary(t, got); status != c.status || kind != c.kind {
				t.Errorf("got %d %s, want %d %s: %.300s", status, kind, c.status, c.kind, got.Body)
			}
			if len(got.Body) > 1000 {
				t.Errorf("the response has %d bytes, want at most 1000", len(got.Body))
			}
			if readings, quarantined := f.stored(t); readings != nil || quarantined != nil {
				t.Errorf("stored %q and quarantined %q, want nothing", readings, quarantined)
			}
		})
	}
}

func TestHTTP_AcceptsValidAndInvalidObservationsInOneRequest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := `{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z"}`
	body := strings.Join([]string{good, `{"deviceId":`, `{"deviceId":"sensor_02","timestamp":"soon"}`}, "\n")
	got := post(t, f, []byte(body), func(r *events.APIGatewayV2HTTPRequest) {
		r.Headers["content-type"] = "application/x-ndjson; charset=utf-8"
	})
	if status, outcomes := summary(t, got); status != 200 || outcomes != "applied rejected rejected" {
		t.Errorf("got %d %q, want 200 and the outcomes", status, outcomes)
	}
	if !strings.Contains(got.Body, "line 2: ") {
		t.Errorf("response %s does not name the line that is not JSON", got.Body)
	}
}

func TestHTTP_IgnoresTheStageInThePath(t *testing.T) {
	t.Parallel()
	body := []byte(`{"deviceId":"sensor_01","timestamp":1776600001}`)
	got := post(t, newFixture(t), body, func(r *events.APIGatewayV2HTTPRequest) {
		r.RequestContext.Stage, r.RawPath = "prod", "/prod/v1/readings"
		r.Headers = nil // without a content type, the body is JSON
	})
	if got.StatusCode != 200 {
		t.Errorf("got %d %s, want 200", got.StatusCode, got.Body)
	}
}

// failingTable returns a fixed result for appends of one subject.
type failingTable struct {
	*memory.Table
	subject string
	result  storage.WriteResult
	err     error
}

func (f failingTable) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if tx.Latest.Series.Subject.ID == f.subject {
		return storage.StoreResult{Result: f.result}, f.err
	}
	return f.Table.Append(ctx, tx)
}

const pair = `[{"deviceId":"sensor_01","timestamp":31536001},{"deviceId":"sensor_02","timestamp":31536001}]`

func TestHTTP_AsksTheCallerToRetryUndecidedObservations(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	f := onStore(t, failingTable{Table: table, subject: "sensor_02", result: storage.Throttled}, table)
	got := post(t, f, []byte(pair), nil)
	if status, outcomes := summary(t, got); status != 503 || outcomes != "applied unknown" ||
		got.Headers["Retry-After"] == "" {
		t.Errorf("got %d %q %v, want 503 with the list and Retry-After", status, outcomes, got.Headers)
	}
	for _, line := range []string{`"Retries":11`, `"Throttles":11`, `"ObservationsUnknown":1`,
		`"ObservationsApplied":1`} {
		if !strings.Contains(f.out.String(), line) {
			t.Errorf("metrics lack %s:\n%s", line, f.out)
		}
	}
}

func TestHTTP_ReturnsAnInternalErrorWithoutDetails(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	f := onStore(t, failingTable{Table: table, subject: "sensor_02", result: storage.Unknown,
		err: errors.New("access denied on arn:aws:secret")}, table)
	got := post(t, f, []byte(pair), nil)
	if status, kind := summary(t, got); status != 500 || kind != "/problems/internal" ||
		strings.Contains(got.Body, "secret") {
		t.Errorf("got %d %s, want 500 without details of the error", status, got.Body)
	}
	if !strings.Contains(f.out.String(), "access denied") {
		t.Errorf("the log lacks the cause:\n%s", f.out)
	}
}
