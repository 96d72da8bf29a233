package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The clock of these tests: within the hour of the last reading.
var now = at("2026-04-20T14:30:00Z")

// progressJSON is the progress that newHandler's handler returns.
const progressJSON = `"completeThrough":"2026-04-20T12:00:00.000Z",` +
	`"processedThrough":"2026-04-20T14:29:00.000Z"`

// through is the time through which rollups are complete.
var through = at("2026-04-20T12:00:00Z")

const samples = "../../events/query"

// newHandler returns a handler of a table with three readings of sensor_01, one in its
// stream status, and their rollups; one more reading has expired.
func newHandler(t *testing.T) (*Handler, *bytes.Buffer) {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &kinds.Kinds[0]
	readings := []model.Event{
		reading("", "2026-04-20T12:10:00Z", "", 0, number("temperature", "21.5"), text("location", "warehouse-a")),
		reading("", "2026-04-20T13:10:00Z", "b7", 0, number("humidity", "45"), number("temperature", "1e-9")),
		reading("", "2026-04-20T14:00:00Z", "", 0, text("temperature", "NaN"),
			model.Attr{Name: "ok", Value: model.BoolValue(true)}),
		reading("", "2026-03-01T00:00:00Z", "", now.Seconds(), number("temperature", "99")),
		reading("status", "2026-04-20T14:00:00Z", "", 0, number("battery", "0.93")),
	}
	for _, e := range readings {
		if _, err := table.Put(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
	putRows(t, table, kind.Spec(), tier.Hour, readings[:3])
	putRows(t, table, kind.Spec(), tier.Day, readings[:3])
	latest := model.Latest{Series: readings[2].Series, Ordered: true, Order: readings[2].Order,
		Attrs: readings[2].Attrs.Union(readings[1].Attrs)}
	if err := table.PutItem(context.Background(), item.FromLatest(&latest)); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	service := &query.Service{Store: table, Now: clock, CursorKey: []byte(localCursorKey)}
	return &Handler{
		Catalog: kinds, Query: service,
		Buckets: &verify.BucketVerifier{Store: table, Now: clock, MaxEvents: 4},
		Alerts:  &alert.Service{Store: table, Catalog: kinds, Now: clock},
		Log:     slog.New(slog.NewJSONHandler(&log, nil)),
		API:     func() (json.RawMessage, error) { return describe(kinds) },
		Progress: func(context.Context) (query.Progress, error) {
			return query.Progress{CompleteThrough: &through, ProcessedThrough: new(clock().Add(-time.Minute))}, nil
		},
	}, &log
}

func putRows(t *testing.T, table *memory.Table, spec *rollup.Spec, unit tier.Unit, readings []model.Event) {
	t.Helper()
	folds := map[model.Time]*rollup.Fold{}
	for i := range readings {
		start := unit.BucketAt(readings[i].At).Start
		if folds[start] == nil {
			folds[start] = rollup.NewFold(spec)
		}
		folds[start].AddEvent(&readings[i])
	}
	for start, fold := range folds {
		row := &rollup.Row{Key: rollup.Key{Series: readings[0].Series, Tier: unit.String(), Start: start},
			Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: now}
		if _, err := table.PutRow(context.Background(), row, rollup.Rev{}); err != nil {
			t.Fatal(err)
		}
	}
}

func reading(stream, when, id string, expiresAt int64, attrs ...model.Attr) model.Event {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING",
		Stream: stream}
	return model.Event{Series: series, Order: model.Order{At: at(when), ID: id}, Attrs: attrs,
		Hash: model.HashAttrs(attrs), ArrivedAt: at(when), ExpiresAt: expiresAt}
}

func number(name, digits string) model.Attr {
	return model.Attr{Name: name, Value: model.NumberValue(model.MustDecimal(digits))}
}

func text(name, s string) model.Attr { return model.Attr{Name: name, Value: model.TextValue(s)} }

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// get sends GET for a path with a query string, without a token.
func get(t *testing.T, h *Handler, target string) httpapi.Response {
	t.Helper()
	return getAs(t, h, target, nil)
}

// getAs sends GET with the claims of a token.
func getAs(t *testing.T, h *Handler, target string, claims map[string]string) httpapi.Response {
	t.Helper()
	r := httpapi.Request{Method: "GET", Claims: claims}
	r.Path, r.RawQuery, _ = strings.Cut(target, "?")
	return h.serve(t.Context(), &r)
}

// page is the part of a page of events that the tests use.
type page struct {
	Events []struct{ At string }
	Next   *string
}

func decodePage(t *testing.T, response httpapi.Response) (p page) {
	t.Helper()
	if err := json.Unmarshal([]byte(response.Body), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Each sample is executed, and its status and its body or problem type are compared.
func TestHandle_Samples(t *testing.T) {
	wants := map[string]struct {
		status int
		body   string // JSON, a part of another format, or the type of a problem
	}{
		"history": {200, `{"events":[
			{"at":"2026-04-20T14:00:00.000Z","id":"","fields":{"temperature":"NaN","ok":true},
				"arrivedAt":"2026-04-20T14:00:00.000Z"},
			{"at":"2026-04-20T13:10:00.000Z","id":"b7","fields":{"humidity":45,"temperature":0.000000001},
				"arrivedAt":"2026-04-20T13:10:00.000Z"}],"next":"*"}`},
		"history-oldest": {200, `{"events":[
			{"at":"2026-04-20T12:10:00.000Z","id":"","fields":{"location":"warehouse-a","temperature":21.5},
				"arrivedAt":"2026-04-20T12:10:00.000Z"},
			{"at":"2026-04-20T13:10:00.000Z","id":"b7","fields":{"humidity":45,"temperature":0.000000001},
				"arrivedAt":"2026-04-20T13:10:00.000Z"},
			{"at":"2026-04-20T14:00:00.000Z","id":"","fields":{"temperature":"NaN","ok":true},
				"arrivedAt":"2026-04-20T14:00:00.000Z"}],"next":null}`},
		"history-of-a-stream": {200, `{"events":[
			{"at":"2026-04-20T14:00:00.000Z","id":"","fields":{"battery":0.93},
				"arrivedAt":"2026-04-20T14:00:00.000Z"}],"next":null}`},
		"latest":            {200, `{"at":"2026-04-20T14:00:00.000Z","id":"","fields":{"humidity":45,"temperature":0.000000001,"ok":true}}`},
		"latest-of-nothing": {404, "/problems/nothing-yet"},
		"rollups-hour": {200, `{"rollups":[
			{"bucket":"2026-04-20T12:00:00.000Z","end":"2026-04-20T13:00:00.000Z","tier":"hour",
				"exact":true,"open":false,"changed":{"recomputed":"2026-04-20T14:30:00.000Z"},
				"truncated":false,"unreadable":0,"events":1,"measures":{
				"temperature":{"count":1,"invalid":0,"sum":21.5,"min":21.5,"max":21.5,"avg":21.5,"stddev":0,"first":21.5,"last":21.5,"p50":21.5,"p95":21.5,"p99":21.5}}},
			{"bucket":"2026-04-20T13:00:00.000Z","end":"2026-04-20T14:00:00.000Z","tier":"hour",
				"exact":true,"open":false,"changed":{"recomputed":"2026-04-20T14:30:00.000Z"},
				"truncated":false,"unreadable":0,"events":1,"measures":{
				"humidity":{"count":1,"invalid":0,"sum":45,"min":45,"max":45,"avg":45,"stddev":0,"first":45,"last":45,"p50":45,"p95":45,"p99":45},
				"temperature":{"count":1,"invalid":0,"sum":0.000000001,"min":0.000000001,"max":0.000000001,"avg":1e-9,"stddev":0,"first":0.000000001,"last":0.000000001,"p50":1e-9,"p95":1e-9,"p99":1e-9}}},
			{"bucket":"2026-04-20T14:00:00.000Z","end":"2026-04-20T15:00:00.000Z","tier":"hour","exact":true,"open":true,"truncated":false,"unreadable":0,"events":1,"measures":{
				"temperature":{"count":0,"invalid":1,"sum":null,"min":null,"max":null,"avg":null,"stddev":null,"first":null,"last":null,"p50":null,"p95":null,"p99":null}}}],"next":null}`},
		"rollups-day": {200, `{"rollups":[
			{"bucket":"2026-04-20T00:00:00.000Z","end":"2026-04-21T00:00:00.000Z","tier":"day","exact":true,"open":true,"truncated":false,"unreadable":0,"events":3,"measures":{
				"humidity":{"count":1,"invalid":0,"sum":45,"min":45,"max":45,"avg":45,"stddev":0,"first":45,"last":45,"p50":45,"p95":45,"p99":45},
				"temperature":{"count":2,"invalid":1,"sum":21.500000001,"min":0.000000001,"max":21.5,"avg":10.7500000005,"stddev":10.7499999995,"first":21.5,"last":0.000000001,"p50":1e-9,"p95":21.5,"p99":21.5}}}],"next":null}`},
		"alerts":           {200, `{"alerts":[],"next":null,` + progressJSON + `}`},
		"open-alerts":      {200, `{"alerts":[],"next":null,` + progressJSON + `}`},
		"rules":            {200, `{"rules":[]}`},
		"alert-of-nothing": {404, "/problems/no-such-alert"},
		"count":            {200, `{"events":3,"unreadable":0}`},
		"history-that-meets": {200, `{"events":[
			{"at":"2026-04-20T12:10:00.000Z","id":"","fields":{"temperature":21.5},
				"arrivedAt":"2026-04-20T12:10:00.000Z"}],"next":null}`},
		"chart":                {200, `"reason":"hourly: `},
		"chart-with-gaps":      {200, `{"bucket":"2026-04-20T11:00:00.000Z","end":"2026-04-20T12:00:00.000Z","tier":"hour","exact":true,"open":false,"gap":true,`},
		"history-csv":          {200, "at,id,humidity,location,ok,temperature\n2026-04-20T12:10:00.000Z,,,warehouse-a,,21.5\n"},
		"not-modified":         {304, ""},
		"openapi":              {200, `"openapi":"3.1.0"`},
		"health":               {200, `{"status":"ok",` + progressJSON + `,"lagSeconds":60}`},
		"version":              {200, `"format":1`},
		"range-too-long":       {400, "/problems/range-too-long"},
		"bad-condition":        {400, "/problems/bad-condition"},
		"not-acceptable":       {406, "/problems/not-acceptable"},
		"unknown-route":        {404, "/problems/not-found"},
		"unknown-subject-type": {404, "/problems/unknown-subject-type"},
		"unknown-kind":         {404, "/problems/unknown-kind"},
		"unknown-tier":         {404, "/problems/unknown-tier"},
		"wrong-method":         {405, "/problems/method-not-allowed"},
		"unknown-parameter":    {400, "/problems/unknown-parameter"},
		"repeated-parameter":   {400, "/problems/repeated-parameter"},
		"unreadable-query":     {400, "/problems/unreadable-query"},
		"bad-time":             {400, "/problems/bad-time"},
		"bad-limit":            {400, "/problems/bad-limit"},
		"bad-order":            {400, "/problems/bad-order"},
		"bad-boolean":          {400, "/problems/bad-boolean"},
		"inverted-range":       {400, "/problems/inverted-range"},
		"forged-cursor":        {400, "/problems/forged-cursor"},
	}
	files, err := filepath.Glob(samples + "/*.json")
	if err != nil || len(files) != len(wants) {
		t.Fatalf("%d samples in %s, %d expected responses (%v): want one for each", len(files), samples, len(wants),
			err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			h, _ := newHandler(t)
			want, known := wants[name]
			if !known {
				t.Fatalf("no expected response for %s", file)
			}
			response := handleSample(t, h, file)
			if response.Status != want.status {
				t.Fatalf("got %d %s; want %d", response.Status, response.Body, want.status)
			}
			switch {
			case want.status >= 400:
				requireProblem(t, response, want.body)
			case json.Valid([]byte(want.body)):
				requireSame(t, response.Body, want.body)
			case !strings.Contains(response.Body, want.body) || want.body == "" && response.Body != "":
				t.Errorf("got %s, want %s in it", response.Body, want.body)
			}
		})
	}
}

// handleSample invokes the handler with the payload in file.
func handleSample(t *testing.T, h *Handler, file string) httpapi.Response {
	t.Helper()
	payload, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := h.Handle(t.Context(), payload)
	if err != nil {
		t.Fatal(err)
	}
	response := encoded.(events.APIGatewayV2HTTPResponse)
	return httpapi.Response{Status: response.StatusCode, Headers: response.Headers, Body: response.Body,
		Base64: response.IsBase64Encoded}
}

func requireProblem(t *testing.T, response httpapi.Response, kind string) {
	t.Helper()
	var problem struct {
		Type, Title, Detail string
		Status              int
	}
	if err := json.Unmarshal([]byte(response.Body), &problem); err != nil {
		t.Fatal(err)
	}
	if problem.Type != kind || problem.Status != response.Status || problem.Title == "" || problem.Detail == "" {
		t.Errorf("got %+v, want all members of a problem of type %s", problem, kind)
	}
	if got := response.Headers["Content-Type"]; got != "application/problem+json" {
		t.Errorf("content type %q, want application/problem+json", got)
	}
}

// requireSame compares JSON with all digits of its numbers. A next of "*" in want matches
// any text.
func requireSame(t *testing.T, got, want string) {
	t.Helper()
	decode := func(text string) (v map[string]any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return v
	}
	g, w := decode(got), decode(want)
	if next, is := g["next"].(string); is && next != "" && w["next"] == "*" {
		w["next"] = next
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHandle_NextReadsTheNextPage(t *testing.T) {
	h, _ := newHandler(t)
	target, seen := "/v1/devices/sensor_01/readings?limit=1", []string{}
	for cursor := ""; ; {
		page := decodePage(t, get(t, h, target+cursor))
		for _, e := range page.Events {
			seen = append(seen, e.At)
		}
		if page.Next == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(*page.Next)
	}
	want := []string{"2026-04-20T14:00:00.000Z", "2026-04-20T13:10:00.000Z", "2026-04-20T12:10:00.000Z"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHandle_RejectsTheCursorOfAnotherRequest(t *testing.T) {
	h, _ := newHandler(t)
	page := decodePage(t, get(t, h, "/v1/devices/sensor_01/readings?limit=1"))
	for _, target := range []string{
		"/v1/devices/sensor_02/readings?cursor=",
		"/v1/devices/sensor_01/readings?stream=status&cursor=",
		"/v1/devices/sensor_01/readings?order=oldest&cursor=",
		"/v1/devices/sensor_01/readings/rollups/hour?cursor=",
	} {
		requireProblem(t, get(t, h, target+url.QueryEscape(*page.Next)), "/problems/foreign-cursor")
	}
}

// The path is decoded, so that an id may contain slashes.
func TestResourceOf_IDsMayContainSlashes(t *testing.T) {
	h, _ := newHandler(t)
	for path, want := range map[string]resource{
		"/v1/devices/a/b/readings":                  {Target: httpapi.Target{Action: httpapi.ReadHistory}},
		"/v1/devices/a/b/readings/latest":           {Target: httpapi.Target{Action: httpapi.ReadLatest}},
		"/v1/devices/a/b/readings/rollups/day":      {Target: httpapi.Target{Action: httpapi.ReadRollups}, tier: "day"},
		"/v1/devices/a/readings/b/readings":         {Target: httpapi.Target{Action: httpapi.ReadHistory}},
		"/v1/devices/a/rollups/day/readings/latest": {Target: httpapi.Target{Action: httpapi.ReadLatest}},
	} {
		got, err := parseResource(h.Catalog, "", path)
		if err != nil || got.Action != want.Action || got.tier != want.tier ||
			!strings.HasPrefix(got.series.Subject, "a/") {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	for _, path := range []string{"", "/", "/v1", "/v1/devices/", "/v1/devices/a/latest",
		"/v1/devices/a/b/rollups/day", "/v1/readings/location/hall", "/v2/devices/a/readings"} {
		if got, err := parseResource(h.Catalog, "", path); err == nil {
			t.Errorf("%q: %+v, want an error", path, got)
		}
	}
}

type failing struct{ query.Store }

func (failing) Events(context.Context, storage.Range) (storage.EventPage, error) {
	return storage.EventPage{}, errors.New("the cause")
}

// A table that does not respond is a transient failure. Its cause is logged and not in the
// response.
func TestHandle_FailedReadsAreUnavailable(t *testing.T) {
	h, log := newHandler(t)
	h.Query.Store = failing{h.Query.Store}
	response := get(t, h, "/v1/devices/sensor_01/readings")
	requireProblem(t, response, "/problems/unavailable")
	if response.Status != 503 || response.Headers["Retry-After"] == "" ||
		strings.Contains(response.Body, "the cause") {
		t.Errorf("got %d %v %s; want 503 and Retry-After, without the cause", response.Status, response.Headers,
			response.Body)
	}
	if !strings.Contains(log.String(), "the cause") {
		t.Errorf("the cause is not logged: %s", log)
	}
}

func TestHandle_RejectsResponsesTooLargeForLambda(t *testing.T) {
	h, _ := newHandler(t)
	h.Query.Store = longEvents{h.Query.Store}
	response := get(t, h, "/v1/devices/sensor_01/readings?limit=1000")
	requireProblem(t, response, "/problems/response-too-large")
}

type longEvents struct{ query.Store }

func (longEvents) Events(_ context.Context, r storage.Range) (page storage.EventPage, _ error) {
	for i := range r.Limit {
		e := reading("", "2026-04-20T12:10:00Z", "", 0, text("note", strings.Repeat("x", 6000)))
		e.At -= model.Time(i)
		page.Events = append(page.Events, e)
	}
	return page, nil
}

// A table whose stream was never processed is healthy, and has no such time.
func TestHealth_SaysHowFarRollupsAreComplete(t *testing.T) {
	t.Parallel()
	h, _ := newHandler(t)
	h.Progress = func(context.Context) (query.Progress, error) {
		return query.Progress{CompleteThrough: new(model.MinTime), ProcessedThrough: new(model.MinTime)}, nil
	}
	if got := get(t, h, httpapi.PathHealth); got.Status != 200 || got.Body != `{"status":"ok"}` {
		t.Errorf("nothing processed: %d %s", got.Status, got.Body)
	}
	h.Progress = func(context.Context) (query.Progress, error) {
		return query.Progress{}, errors.New("no response")
	}
	requireProblem(t, get(t, h, httpapi.PathHealth), "/problems/unavailable")
}
