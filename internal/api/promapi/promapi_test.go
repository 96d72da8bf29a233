package promapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	prom "github.com/prometheus/common/model"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/docs"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The clock of these tests: within an open hour.
var now = at("2026-04-20T14:30:00Z")

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// newAPI returns an API over hours and days of sensor_01: a reading every 20 minutes from 18 April, but
// none from 6 to 8 o'clock on 20 April. The hour from 3 o'clock that day is inexact.
func newAPI(t *testing.T) *promapi.API {
	t.Helper()
	return newAPIWith(t, at("2026-04-18T00:00:00Z"), []string{"sensor_01"},
		func(_ int, when model.Time) (model.Attrs, bool) {
			silent := when >= at("2026-04-20T06:00:00Z") && when < at("2026-04-20T08:00:00Z")
			return model.Attrs{{Name: "temperature",
				Value: model.NumberValue(model.NewDecimal(int64(when/60_000) % 97))}}, !silent
		})
}

// newAPIWith returns an API over hours and days of subjects, with a reading every 20 minutes that
// reading returns, by the number of the subject. The hour from 3 o'clock on 20 April is inexact.
func newAPIWith(t *testing.T, from model.Time, subjects []string,
	reading func(int, model.Time) (model.Attrs, bool)) *promapi.API {
	t.Helper()
	readings := iot.Readings
	readings.Measures = slices.Clone(readings.Measures)
	readings.Measures[0].Unit = "°C" // temperature
	kinds, err := catalog.New(readings)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &kinds.Kinds[0]
	for n, subject := range subjects {
		for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
			rows := map[model.Time]*rollup.Row{}
			for when := from; when < now; when = when.Add(20 * time.Minute) {
				if attrs, ok := reading(n, when); ok {
					addReading(kind, subject, rows, unit, when, attrs)
				}
			}
			for _, row := range rows {
				row.Exact = row.Key.Start != at("2026-04-20T03:00:00Z")
				row.Rev, row.WrittenAt = rollup.Rev{1}, now
				if _, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
					t.Fatal(err)
				}
			}
		}
		listed := storage.ListedSeries{Series: kind.Series(subject, "", model.Order{}), First: from, Last: now}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &promapi.API{
		Catalog: kinds, Query: &query.Service{Store: table, Now: clock}, Log: log,
		Engine: promapi.NewEngine(log, time.Minute), Limits: config.Default().Limits,
	}
}

func addReading(kind *catalog.Kind, subject string, rows map[model.Time]*rollup.Row, unit tier.Unit,
	when model.Time, attrs model.Attrs) {
	order := model.Order{At: when}
	e := model.Event{Series: kind.Series(subject, "", order), Order: order, Attrs: attrs,
		Hash: model.HashAttrs(attrs), ArrivedAt: when}
	start := unit.BucketAt(when).Start
	if rows[start] == nil {
		rows[start] = &rollup.Row{Key: rollup.Key{Series: e.Series, Tier: unit.String(), Start: start},
			Fold: *rollup.NewFold(kind.Spec())}
	}
	rows[start].AddEvent(&e)
}

func call(t *testing.T, a *promapi.API, method, path, query, body string) (int, map[string]any) {
	t.Helper()
	response := a.Serve(t.Context(),
		&httpapi.Request{Method: method, Path: "/prometheus/api/v1/" + path, RawQuery: query, Body: body})
	var decoded map[string]any
	if err := json.Unmarshal([]byte(response.Body), &decoded); err != nil {
		t.Fatalf("%s: %v", response.Body, err)
	}
	return response.Status, decoded
}

func TestServe_RespondsToTheRequestsOfGrafana(t *testing.T) {
	a := newAPI(t)
	const all = "match%5B%5D=%7B__name__%3D~%22.%2B%22%7D&limit=40000&start=1776600000&end=1776700000"
	for _, c := range []struct{ method, path, query, body, want string }{
		{"POST", "query", "", "query=1%2B1&time=1776690000", `2] resultType:scalar`},
		{"GET", "query", "query=1%2B1&time=1776690000", "", `2] resultType:scalar`},
		{"GET", "status/buildinfo", "", "", "goVersion"},
		{"GET", "label/__name__/values", all, "", "temperature tidemark_complete_through_seconds tidemark_events tidemark_inexact"},
		{"GET", "label/statistic/values", "", "", "avg count first invalid last max min p50 p95 p99 stddev sum"},
		{"POST", "labels", "", all, "__name__ kind statistic subject"},
		{"GET", "series", "match[]=tidemark_events", "", "map[__name__:tidemark_events kind:READING subject:sensor_01]"},
		{"GET", "metadata", "metric=temperature", "", "type:gauge unit:°C"},
	} {
		status, body := call(t, a, c.method, c.path, c.query, c.body)
		if text := fmt.Sprint(body["data"]); status != 200 || body["status"] != "success" ||
			!strings.Contains(text, c.want) {
			t.Errorf("%s %s: %d %v, want %s", c.method, c.path, status, body, c.want)
		}
	}
	if _, body := call(t, a, "GET", "status/buildinfo", "",
		""); body["data"].(map[string]any)["features"] != nil {
		t.Errorf("%v: with features, Grafana assumes another database", body)
	}
}

// Grafana sends the queries of a dashboard with the subjects that its user chose.
func TestQueryRange_EvaluatesTheDashboard(t *testing.T) {
	a := newAPI(t)
	var text bytes.Buffer
	if err := docs.Dashboard(&text, &a.Catalog.Kinds[0]); err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text.Bytes(), &dashboard); err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			form := url.Values{"query": {strings.ReplaceAll(target.Expr, "$subject", "sensor_01")},
				"start": {"1776643200"}, "end": {"1776690000"}, "step": {"3600"}}
			status, body := call(t, a, "POST", "query_range", "", form.Encode())
			if status != 200 || body["status"] != "success" {
				t.Fatalf("%s: %s: %d %v", p.Title, target.Expr, status, body)
			}
			if strings.Contains(fmt.Sprint(body["data"]), "subject:sensor_01") {
				drawn[p.Title] = true
			}
		}
	}
	for _, want := range []string{"Events of each bucket", "Buckets that may lack a change", "temperature"} {
		if !drawn[want] {
			t.Errorf("the panel %q has no line; those with lines are %v", want, drawn)
		}
	}
}

// The clients of Prometheus read the numbers of the rollups: at the end of each closed bucket.
func TestQueryRange_EqualsTheRollups(t *testing.T) {
	a := newAPI(t)
	client := newClient(t, a)
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		step := unit.Longest()
		from, to := unit.BucketAt(at("2026-04-18T00:00:00Z")).Start, unit.BucketAt(now).Start
		kind := &a.Catalog.Kinds[0]
		page, err := a.Query.Rollups(t.Context(),
			query.Rollups{Series: query.Series{Kind: kind, Subject: "sensor_01"}, Unit: unit, From: from, To: to})
		if err != nil {
			t.Fatal(err)
		}
		for _, statistic := range []string{"avg", "min", "max", "sum", "count"} {
			want := map[int64]float64{}
			for _, r := range page.Rollups {
				f := figure.New(r.Measure("temperature"))
				want[int64(r.Bucket.End)] = map[string]float64{"avg": *f.Avg, "min": f.Min.Float64(),
					"max": f.Max.Float64(), "sum": f.Sum.Float64(), "count": float64(f.Count)}[statistic]
			}
			got, _, _, err := client.QueryRange(t.Context(), fmt.Sprintf("temperature{statistic=%q}", statistic),
				v1.Range{Start: from.Time(), End: now.Time(), Step: step})
			if err != nil {
				t.Fatal(err)
			}
			points := got.(prom.Matrix)[0].Values
			for _, p := range points {
				if v, ok := want[int64(p.Timestamp)]; !ok || v != float64(p.Value) {
					t.Errorf("%s of the %s at %s: %v, want %v (%v)", statistic, unit, p.Timestamp.Time(), p.Value, v, ok)
				}
			}
			if len(points) != len(want) || len(points) == 0 {
				t.Errorf("%s of %ss: %d points, want %d", statistic, unit, len(points), len(want))
			}
		}
	}
}

func newClient(t *testing.T, a *promapi.API) v1.API {
	t.Helper()
	client, err := api.NewClient(api.Config{Address: newServer(t, a)})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(client)
}

// newServer serves an API and returns the address of the data source.
func newServer(t *testing.T, a *promapi.API) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		response := a.Serve(r.Context(),
			&httpapi.Request{Method: r.Method, Path: r.URL.Path, RawQuery: r.URL.RawQuery, Body: string(body)})
		w.Header().Set("Content-Type", response.Headers["Content-Type"])
		w.WriteHeader(response.Status)
		_, _ = io.WriteString(w, response.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/prometheus"
}

func TestQuery_EvaluatesOverBuckets(t *testing.T) {
	a := newAPI(t)
	for name, c := range map[string]struct{ query, time, want string }{
		"the last closed hour":                {`tidemark_events`, "2026-04-20T14:30:00Z", "3"},
		"a day is the sum of its hours":       {`sum_over_time(tidemark_events[1d:1h])`, "2026-04-20T00:00:00Z", "72"},
		"a day from the tier of days":         {`sum_over_time(temperature{statistic="count"}[1d])`, "2026-04-20T00:00:00Z", "72"},
		"an inexact hour":                     {`tidemark_inexact`, "2026-04-20T04:10:00Z", "1"},
		"an hour without events has no value": {`tidemark_events or vector(-1)`, "2026-04-20T07:30:00Z", "-1"},
		"and the next again":                  {`tidemark_events`, "2026-04-20T09:00:00Z", "3"},
	} {
		status, body := call(t, a, "GET", "query", url.Values{"query": {c.query}, "time": {c.time}}.Encode(), "")
		if text := fmt.Sprint(body["data"]); status != 200 || !strings.Contains(text, " "+c.want+"]") {
			t.Errorf("%s: %d %v, want %s", name, status, body, c.want)
		}
	}
	_, body := call(t, a, "GET", "query_range", url.Values{"query": {"temperature"},
		"start": {"2026-04-20T00:00:00Z"}, "end": {"2026-04-20T05:00:00Z"}, "step": {"1h"}}.Encode(), "")
	if w, i := fmt.Sprint(body["warnings"]), fmt.Sprint(body["infos"]); !strings.Contains(w,
		"1 buckets are inexact") || !strings.Contains(i, "hourly rollups") {
		t.Errorf("warnings %s, infos %s", w, i)
	}
}

func TestServe_RejectsByName(t *testing.T) {
	a := newAPI(t)
	for _, c := range []struct {
		method, path, query string
		status              int
		kind, text          string
	}{
		{"GET", "query", "", 400, "bad_data", "query is missing"},
		{"GET", "query", "query=sum(", 400, "bad_data", "parse error"},
		{"GET", "query", "query=1&time=noon", 400, "bad_data", "want seconds"},
		{"GET", "query", "query=1&lookback_delta=5m", 400, "bad_data", "lookback_delta"},
		{"GET", "query", "query=%zz", 400, "bad_data", "parameters"},
		{"GET", "query_range", "query=1&end=2&step=1", 400, "bad_data", "start"},
		{"GET", "query_range", "query=1&start=1&step=1", 400, "bad_data", "end"},
		{"GET", "query_range", "query=1&start=1&end=2&step=0", 400, "bad_data", "step"},
		{"GET", "query_range", "query=1&start=1&end=2&step=x", 400, "bad_data", "step"},
		{"GET", "query_range", "query=1&start=2&end=1&step=1", 400, "bad_data", "end is before start"},
		{"GET", "query_range", "query=1&start=0&end=20000&step=1", 400, "bad_data", "11000 steps"},
		{"GET", "query", "query=temperature%2Bon(kind)temperature", 422, "execution", "duplicate series"},
		{"GET", "series", "", 400, "bad_data", "match[] is missing"},
		{"GET", "labels", "match[]={", 400, "bad_data", "match[]"},
		{"GET", "labels", "limit=-1", 400, "bad_data", "limit"},
		{"GET", "rules", "", 404, "not_found", "no such path"},
		{"DELETE", "query", "", 405, "bad_data", "DELETE is not allowed"},
	} {
		status, body := call(t, a, c.method, c.path, c.query, "")
		if status != c.status || body["errorType"] != c.kind ||
			!strings.Contains(fmt.Sprint(body["error"]), c.text) {
			t.Errorf("%s %s?%s: %d %v, want %d %s %s", c.method, c.path, c.query, status, body, c.status, c.kind,
				c.text)
		}
	}
	a.OwnerClaim = "tenant"
	if status, body := call(t, a, "GET", "query", "query=1", ""); status != 403 ||
		body["errorType"] != "forbidden" {
		t.Errorf("without the claim of an owner: %d %v", status, body)
	}
}
