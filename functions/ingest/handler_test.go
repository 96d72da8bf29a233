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

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// now is one second after the samples were sent.
func now() model.Time {
	t, err := model.ParseTime("2026-04-20T14:00:01Z", model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

// world is the function on a table in memory.
type world struct {
	*handler
	table *memory.Table
	out   *bytes.Buffer // log and metrics
}

func newWorld(t *testing.T) world {
	t.Helper()
	memory := memory.New(now)
	return worldOn(t, memory, memory)
}

func worldOn(t *testing.T, store table, memory *memory.Table) world {
	t.Helper()
	out := new(bytes.Buffer)
	r := newReporter(slog.New(slog.NewJSONHandler(out, nil)), out, "ingest", func() (float64, float64) { return 0, 0 })
	h, err := newHandler(config.Default(iot.Kinds()...), iot.Readings.Name, web.PageViews.Name, store, r)
	if err != nil {
		t.Fatal(err)
	}
	h.service.Now = now
	h.service.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return world{h, memory, out}
}

// kept is what the table holds: readings by subject and quarantined things by
// partition.
func (w world) kept(t *testing.T) (readings, quarantined []string) {
	t.Helper()
	items, _, err := w.table.Scan(t.Context(), keys.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		switch pk, sk := it[keys.AttrPK].S, it[keys.AttrSK].S; {
		case strings.HasPrefix(sk, keys.ClassEvent+"#"):
			readings = append(readings, pk)
		case strings.HasPrefix(pk, keys.ClassQuarantine+"#"):
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

// asked is the context of an invocation.
func asked(t *testing.T, request string) context.Context {
	return lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: request})
}

// wanted is what a sample leads to.
type wanted struct {
	status      int      // of an HTTP answer; 0 where nobody is told
	answer      string   // verdicts in order, or the problem's type; else what Lambda is answered
	readings    []string // partitions of the events stored
	quarantined []string // partitions of what was set aside
}

var one, two = "DEVICE#sensor_01", "DEVICE#sensor_02"

var samples = map[string]wanted{
	"http-one": {200, "applied", []string{one}, nil},
	"http-batch": {200, "applied applied late duplicate collision rejected rejected applied",
		[]string{one, one, one, one}, nil},
	"http-ndjson-gzip":     {200, "applied rejected applied", []string{one, two}, nil},
	"http-rejected":        {400, "/problems/rejected", nil, nil},
	"http-duplicate-names": {400, "/problems/rejected", nil, nil},
	"http-not-json":        {400, "/problems/unreadable-body", nil, nil},
	"http-empty":           {400, "/problems/unreadable-body", nil, nil},
	"http-form":            {415, "/problems/unsupported-media-type", nil, nil},
	"http-unknown-kind":    {404, "/problems/not-found", nil, nil},
	"http-get":             {405, "/problems/method-not-allowed", nil, nil},
	"rest-v1":              {200, "applied", []string{one}, nil},
	"function-url":         {200, "applied", []string{one}, nil},
	"alb":                  {200, "applied applied rejected", []string{one, two}, nil},
	"sqs":                  {0, "{[]}", []string{one, one, two, two}, nil},
	"sqs-mixed": {0, "{[]}", []string{one, one, two},
		[]string{"QUARANTINE#DEVICE#sensor_02", "QUARANTINE#sqs", "QUARANTINE#sqs"}},
	"kinesis":            {0, "{[]}", []string{one, one, one}, nil},
	"kinesis-mixed":      {0, "{[]}", []string{one, one}, []string{"QUARANTINE#kinesis", "QUARANTINE#kinesis"}},
	"no-door":            {0, "the payload is that of no door", nil, nil},
	"iot-one":            {0, "map[applied:1]", []string{one}, nil},
	"iot-without-device": {0, "map[applied:1]", []string{one}, nil},
	"iot-array":          {0, "map[applied:2 rejected:1]", []string{one, one}, []string{"QUARANTINE#DEVICE#sensor_01"}},
	"iot-other-device":   {0, "map[rejected:1]", nil, []string{"QUARANTINE#DEVICE#sensor_01"}},
	"iot-unknown-kind":   {0, "map[rejected:1]", nil, []string{"QUARANTINE#iot"}},
	"iot-posing-as-http": {0, "map[rejected:1]", nil, []string{"QUARANTINE#DEVICE#sensor_01"}},
}

func TestSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "events", "ingest", "*.json"))
	if err != nil || len(files) != len(samples) {
		t.Errorf("%d sample files, %d expectations (%v): want one each", len(files), len(samples), err)
	}
	for name, want := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			got, err := w.handle(asked(t, "1"), sample(t, name))
			if err != nil {
				got, _, _ = strings.Cut(err.Error(), ":")
			}
			status, answer := told(t, got)
			readings, quarantined := w.kept(t)
			if status != want.status || answer != want.answer {
				t.Errorf("answered %d %q, want %d %q", status, answer, want.status, want.answer)
			}
			if !slices.Equal(readings, want.readings) || !slices.Equal(quarantined, want.quarantined) {
				t.Errorf("stored readings of %q and set aside in %q, want %q and %q", readings, quarantined, want.readings, want.quarantined)
			}
		})
	}
}

// told is an answer in brief: its status, and verdicts or the problem's type.
func told(t *testing.T, answer any) (int, string) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var r struct { // what every gateway's answer has
		StatusCode int
		Body       string
	}
	if json.Unmarshal(text, &r) != nil || r.StatusCode == 0 {
		return 0, fmt.Sprint(answer)
	}
	type body struct {
		Type    string
		Verdict string
	}
	var single body
	if json.Unmarshal([]byte(r.Body), &single) == nil {
		return r.StatusCode, single.Type + map[bool]string{true: single.Verdict}[single.Type == ""]
	}
	var list []body
	if err := json.Unmarshal([]byte(r.Body), &list); err != nil {
		t.Fatalf("body %q: %v", r.Body, err)
	}
	verdicts := []string{}
	for _, b := range list {
		verdicts = append(verdicts, b.Verdict)
	}
	return r.StatusCode, strings.Join(verdicts, " ")
}

// post sends a body as the HTTP API would.
func post(t *testing.T, w world, body []byte, change func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPResponse {
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
	got, err := w.handle(asked(t, "1"), payload)
	if err != nil {
		t.Fatalf("handle: %v", err)
	}
	return got.(events.APIGatewayV2HTTPResponse)
}

func TestHTTP_TellsTheOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	newer := `{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","id":"7","temperature":22.40,"location":"warehouse-a"}`
	older := `[{"deviceId":"sensor_01","timestamp":"2026-04-20T13:00:00+00:00","temperature":1e-7}]`
	want := []string{
		`{"verdict":"applied","subject":"sensor_01","kind":"READING","at":"2026-04-20T14:00:00.000Z","id":"7","current":{"at":"2026-04-20T14:00:00.000Z","id":"7","fields":{"location":"warehouse-a","temperature":22.4}}}`,
		`[{"verdict":"late","subject":"sensor_01","kind":"READING","at":"2026-04-20T13:00:00.000Z","current":{"at":"2026-04-20T14:00:00.000Z","id":"7","fields":{"location":"warehouse-a","temperature":22.4}}}]`,
	}
	for i, body := range []string{newer, older} {
		got := post(t, w, []byte(body), nil)
		if got.StatusCode != 200 || got.Body != want[i] || got.Headers["Content-Type"] != "application/json" {
			t.Errorf("answered %d %v\n got %s\nwant %s", got.StatusCode, got.Headers, got.Body, want[i])
		}
	}
}

func TestHTTP_TellsEveryFaultAsAProblem(t *testing.T) {
	t.Parallel()
	got, err := newWorld(t).handle(asked(t, "1"), sample(t, "http-rejected"))
	if err != nil {
		t.Fatal(err)
	}
	r := got.(events.APIGatewayV2HTTPResponse)
	var p envelope.Problem
	if err := json.Unmarshal([]byte(r.Body), &p); err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, e := range p.Errors {
		codes = append(codes, e.Field+" "+e.Code)
	}
	want := []string{"timestamp time-finer", "temperature wrong-type", "_rev name-reserved"}
	if !slices.Equal(codes, want) || p.Verdict != model.Rejected || p.Status != 400 || p.Title == "" || p.Detail == "" {
		t.Errorf("problem %+v, want errors %q", p, want)
	}
	if r.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("content type %q, want application/problem+json", r.Headers["Content-Type"])
	}
}

func zipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil || z.Close() != nil {
		t.Fatal("gzip failed")
	}
	return b.Bytes()
}

func TestHTTP_RefusesWhatIsTooLargeOrCannotBeRead(t *testing.T) {
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
		{"10 MB in 10 KB", zipped(t, bytes.Repeat([]byte(" "), 10<<20+1)), packed, 413, "/problems/too-large"},
		{"1,001 observations", []byte("[" + strings.Repeat("{},", 1000) + "{}]"), nil, 413, "/problems/too-large"},
		{"1,001 lines", bytes.Repeat([]byte("{}\n"), 1001), header("content-type", "application/x-ndjson"), 413, "/problems/too-large"},
		{"no gzip", []byte("{}"), packed, 400, "/problems/unreadable-body"},
		{"gzip cut off", zipped(t, []byte(`{"a":1}`))[:20], packed, 400, "/problems/unreadable-body"},
		{"no base64", []byte("{}"), func(r *events.APIGatewayV2HTTPRequest) { r.IsBase64Encoded = true }, 400, "/problems/unreadable-body"},
		{"brotli", []byte("{}"), header("content-encoding", "br"), 415, "/problems/unsupported-media-type"},
		{"CSV", []byte("a,b"), header("content-type", "text/csv"), 415, "/problems/unsupported-media-type"},
		{"half a content type", []byte("{}"), header("content-type", "application/"), 415, "/problems/unsupported-media-type"},
		{"blank lines", []byte("\n \n"), header("content-type", "application/x-ndjson"), 400, "/problems/unreadable-body"},
		{"good and cut off", []byte(`[{"deviceId":"a","timestamp":1},`), nil, 400, "/problems/unreadable-body"},
		{"a scalar", []byte("5"), nil, 400, "/problems/unreadable-body"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			got := post(t, w, c.body, c.change)
			if status, kind := told(t, got); status != c.status || kind != c.kind {
				t.Errorf("answered %d %s, want %d %s: %.300s", status, kind, c.status, c.kind, got.Body)
			}
			if len(got.Body) > 1000 {
				t.Errorf("an answer of %d bytes", len(got.Body))
			}
			if readings, quarantined := w.kept(t); readings != nil || quarantined != nil {
				t.Errorf("left behind: %q %q", readings, quarantined)
			}
		})
	}
}

func TestHTTP_TakesGoodAndBadInOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := `{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z"}`
	body := strings.Join([]string{good, `{"deviceId":`, `{"deviceId":"sensor_02","timestamp":"soon"}`}, "\n")
	got := post(t, w, []byte(body), func(r *events.APIGatewayV2HTTPRequest) {
		r.Headers["content-type"] = "application/x-ndjson; charset=utf-8"
	})
	if status, verdicts := told(t, got); status != 200 || verdicts != "applied rejected rejected" {
		t.Errorf("answered %d %q", status, verdicts)
	}
	if !strings.Contains(got.Body, "line 2: ") {
		t.Errorf("answer %s does not name the line that is no JSON", got.Body)
	}
}

func TestHTTP_KnowsItsPathBehindAStage(t *testing.T) {
	t.Parallel()
	body := []byte(`{"deviceId":"sensor_01","timestamp":1}`)
	got := post(t, newWorld(t), body, func(r *events.APIGatewayV2HTTPRequest) {
		r.RequestContext.Stage, r.RawPath = "prod", "/prod/v1/readings"
		r.Headers = nil // no content type means JSON
	})
	if got.StatusCode != 200 {
		t.Errorf("answered %d %s, want 200", got.StatusCode, got.Body)
	}
}

// unsteady answers writes of one subject as told, and all others from the table.
type unsteady struct {
	*memory.Table
	subject string
	answer  model.Answer
	err     error
}

func (u unsteady) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	if tx.Current.Series.Subject.ID == u.subject {
		return ingest.Reply{Answer: u.answer}, u.err
	}
	return u.Table.Append(ctx, tx)
}

const pair = `[{"deviceId":"sensor_01","timestamp":1},{"deviceId":"sensor_02","timestamp":1}]`

func TestHTTP_AsksAgainForWhatTimeLeftOpen(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	w := worldOn(t, unsteady{table, "sensor_02", model.Throttled, nil}, table)
	got := post(t, w, []byte(pair), nil)
	if status, verdicts := told(t, got); status != 503 || verdicts != "applied unknown" || got.Headers["Retry-After"] == "" {
		t.Errorf("answered %d %q %v, want 503 with the list and Retry-After", status, verdicts, got.Headers)
	}
	for _, line := range []string{`"Retries":11`, `"Throttles":11`, `"ObservationsUnknown":1`, `"ObservationsApplied":1`} {
		if !strings.Contains(w.out.String(), line) {
			t.Errorf("metrics lack %s:\n%s", line, w.out)
		}
	}
}

func TestHTTP_SaysWhenItFailedForGood(t *testing.T) {
	t.Parallel()
	table := memory.New(now)
	w := worldOn(t, unsteady{table, "sensor_02", model.Uncertain, errors.New("access denied on arn:aws:secret")}, table)
	got := post(t, w, []byte(pair), nil)
	if status, kind := told(t, got); status != 500 || kind != "/problems/internal" || strings.Contains(got.Body, "secret") {
		t.Errorf("answered %d %s, want 500 and none of the inner words", status, got.Body)
	}
	if !strings.Contains(w.out.String(), "access denied") {
		t.Errorf("the log does not say why:\n%s", w.out)
	}
}
