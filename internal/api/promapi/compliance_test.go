package promapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	prom "github.com/prometheus/common/model"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// least is how many queries of each tier must be equal.
const least = 150

// view is how a test reads a tier: all ranges and steps are such that the tier is read. Debian has
// release 2, which includes the begin of a range and of the time that a sample is valid; release 3,
// whose engine is used here, leaves it out. So no range begins at a sample, and stale is 1 ms
// shorter than a bucket.
type view struct {
	unit                 tier.Unit
	start, end, step     string
	ranges               []string
	short, offset, stale string // stale is how long Prometheus takes a sample for valid
}

var views = []view{
	{
		unit: tier.Hour, start: "2026-04-14T00:17:00Z", end: "2026-04-19T20:00:00Z", step: "2h10m",
		ranges: []string{"90m", "3h", "11h"}, short: "1h", offset: "2h30m", stale: "59m59s999ms",
	},
	{
		unit: tier.Day, start: "2026-04-13T06:17:00Z", end: "2026-04-20T12:00:00Z", step: "1d5h",
		ranges: []string{"2d", "3d12h"}, short: "1d", offset: "1d", stale: "23h59m59s999ms",
	},
}

// Debian's Prometheus has the samples that a reader of the documentation expects, from the rollups
// themselves; both evaluate each query of testdata/queries.txt. The engine here is a later release of the
// same program, so what is compared is which samples it gets: tier, time, labels and staleness. The short
// suite takes each fourth query.
func TestCompliance_EqualsDebiansPrometheus(t *testing.T) {
	programs := debianPrometheus(t)
	a := newFleetAPI(t)
	here := newServer(t, a)
	for _, v := range views {
		t.Run(v.unit.String(), func(t *testing.T) {
			there := startPrometheus(t, programs, v, exportSamples(t, a, v.unit))
			equal := map[string]int{}
			for n, q := range readQueries(t, v) {
				if !testenv.Long() && n%4 != 0 {
					continue
				}
				want, refusedThere := queryRange(t, there, q.text, v)
				got, refused := queryRange(t, here, q.text, v)
				if problem := q.compare(got, want, refused, refusedThere); problem != "" {
					t.Errorf("%s: %s", q.text, problem)
					continue
				}
				equal[q.section]++
			}
			total := 0
			for _, n := range equal {
				total += n
			}
			t.Logf("%d queries over %s rollups return the same as Prometheus %s: %v", total, v.unit.Adjective(),
				programs.version, equal)
			if total < least {
				t.Errorf("%d queries, want at least %d", total, least)
			}
		})
	}
}

// compare returns what is not as it must be: "" if both results are equal, or both are the error that is
// wanted.
func (q promQuery) compare(got, want prom.Matrix, refused, refusedThere string) string {
	switch {
	case q.invalid != "" && (refusedThere == "" || !strings.Contains(refused, q.invalid)):
		return fmt.Sprintf("error %q here, %q there; want both, and %q", refused, refusedThere, q.invalid)
	case q.invalid == "" && refused+refusedThere != "":
		return fmt.Sprintf("error %q here, %q there", refused, refusedThere)
	}
	return diffMatrices(got, want)
}

// What is not offered is refused by its name. The engine has it, or had it in another release.
func TestCompliance_RefusesTheRestByName(t *testing.T) {
	a := newAPI(t)
	n := 0
	for _, line := range readLines(t, "refused.txt") {
		text, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("%s: want a query, => and a text of its error", line)
		}
		status, body := call(t, a, "POST", "query", "", url.Values{"query": {text}}.Encode())
		if status != http.StatusBadRequest || body["errorType"] != "bad_data" ||
			!strings.Contains(fmt.Sprint(body["error"]), want) {
			t.Errorf("%s: %d %v, want bad_data with %q", text, status, body, want)
		}
		n++
	}
	t.Logf("%d queries are refused by name", n)
}

// The subjects of the comparison, and their first event. sensor_02 has gaps of some hours and of two days.
var (
	fleet     = []string{"sensor_01", "sensor_02", "sensor_03"}
	fleetFrom = at("2026-04-12T00:00:00Z")
)

func newFleetAPI(t *testing.T) *promapi.API {
	t.Helper()
	return newAPIWith(t, fleetFrom, fleet, func(n int, when model.Time) (model.Attrs, bool) {
		hour := int(when/3_600_000) - int(fleetFrom/3_600_000)
		silent := n == 1 && (hour%11 < 3 || hour/24 == 4 || hour/24 == 5)
		wave := model.NewDecimal(int64(when/60_000)*int64(7+n)%97 - 30)
		return model.Attrs{
			{Name: "humidity", Value: model.NumberValue(model.NewDecimal(int64(hour * (n + 3) % 61)))},
			{Name: "temperature", Value: model.NumberValue(wave)},
		}, !silent
	})
}

// The statistics as their documentation describes them.
var figures = map[string]func(figure.Figures) float64{
	"avg": func(f figure.Figures) float64 { return *f.Avg }, "count": func(f figure.Figures) float64 { return float64(f.Count) },
	"first": func(f figure.Figures) float64 { return f.First.Float64() }, "invalid": func(f figure.Figures) float64 { return float64(f.Invalid) },
	"last": func(f figure.Figures) float64 { return f.Last.Float64() }, "max": func(f figure.Figures) float64 { return f.Max.Float64() },
	"min": func(f figure.Figures) float64 { return f.Min.Float64() }, "p50": func(f figure.Figures) float64 { return *f.P50 },
	"p95": func(f figure.Figures) float64 { return *f.P95 }, "p99": func(f figure.Figures) float64 { return *f.P99 },
	"stddev": func(f figure.Figures) float64 { return *f.Stddev }, "sum": func(f figure.Figures) float64 { return f.Sum.Float64() },
}

// exportSamples writes the samples of a tier in OpenMetrics: each closed bucket, at its end.
func exportSamples(t *testing.T, a *promapi.API, unit tier.Unit) []byte {
	t.Helper()
	byMetric := map[string][]string{}
	for _, subject := range fleet {
		page, err := a.Query.Rollups(t.Context(), query.Rollups{
			Series: query.Series{Kind: &a.Catalog.Kinds[0], Subject: subject}, Unit: unit, From: fleetFrom, To: unit.BucketAt(now).Start, Limit: 1000,
		})
		if err != nil || len(page.Rollups) == 0 || page.Next != "" {
			t.Fatalf("%d rows of %s, next %q: %v", len(page.Rollups), subject, page.Next, err)
		}
		add := func(metric, more string, r query.Rollup, value float64) {
			line := fmt.Sprintf(`%s{kind="READING",subject=%q%s} %s %d`, metric, subject, more,
				strconv.FormatFloat(value, 'g', -1, 64), int64(r.Bucket.End)/1000)
			byMetric[metric] = append(byMetric[metric], line)
		}
		for _, r := range page.Rollups {
			add("tidemark_events", "", r, float64(r.Summary.Events()))
			inexact := 0.0
			if !r.Exact {
				inexact = 1
			}
			add("tidemark_inexact", "", r, inexact)
			for _, measure := range []string{"temperature", "humidity"} {
				f := figure.New(r.Measure(measure))
				for statistic, value := range figures {
					add(measure, fmt.Sprintf(",statistic=%q", statistic), r, value(f))
				}
			}
		}
	}
	var out bytes.Buffer
	for metric, lines := range byMetric {
		fmt.Fprintf(&out, "# TYPE %s gauge\n%s\n", metric, strings.Join(lines, "\n"))
	}
	out.WriteString("# EOF\n")
	return out.Bytes()
}

// queryRange returns the result of a query as a matrix, or the error that the server reports.
func queryRange(t *testing.T, server, text string, v view) (result prom.Matrix, refused string) {
	t.Helper()
	r, err := http.PostForm(server+"/api/v1/query_range",
		url.Values{"query": {text}, "start": {v.start}, "end": {v.end}, "step": {v.step}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var body struct {
		Status, ErrorType, Error string
		Data                     struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	printed, err := io.ReadAll(r.Body)
	if err := errors.Join(err, json.Unmarshal(printed, &body)); err != nil {
		t.Fatalf("%s: %v: %s", text, err, printed)
	}
	if body.Status != "success" {
		return nil, body.ErrorType + ": " + body.Error
	}
	if err := json.Unmarshal(body.Data.Result, &result); err != nil || body.Data.ResultType != "matrix" {
		t.Fatalf("%s: %v: %s", text, err, printed)
	}
	return result, ""
}

// diffMatrices returns the first difference of two results; "" if they are equal.
func diffMatrices(got, want prom.Matrix) string {
	slices.SortFunc(got, func(a, b *prom.SampleStream) int {
		return strings.Compare(a.Metric.String(), b.Metric.String())
	})
	slices.SortFunc(want, func(a, b *prom.SampleStream) int {
		return strings.Compare(a.Metric.String(), b.Metric.String())
	})
	if len(got) != len(want) {
		return fmt.Sprintf("%d series, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if !g.Metric.Equal(w.Metric) || len(g.Values) != len(w.Values) {
			return fmt.Sprintf("%s has %d values, want %s with %d", g.Metric, len(g.Values), w.Metric, len(w.Values))
		}
		for j, p := range w.Values {
			if g.Values[j].Timestamp != p.Timestamp || !isNear(float64(g.Values[j].Value), float64(p.Value)) {
				return fmt.Sprintf("%s is %s, want %s", g.Metric, g.Values[j], p)
			}
		}
	}
	return ""
}

// isNear allows for another order of additions: releases of the engine sum with and without
// compensation.
func isNear(got, want float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return math.IsNaN(got) && math.IsNaN(want) || got == want
	}
	return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
}
