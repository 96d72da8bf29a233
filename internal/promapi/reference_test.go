package promapi_test

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	prom "github.com/prometheus/common/model"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/promapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The queries are over hours of 18 and 19 April, at seven minutes past each hour: there the last sample
// of a series is that of the hour before in both, whose rules for the edges of a range differ.
var (
	referenceFrom = at("2026-04-18T00:00:00Z")
	referenceTo   = at("2026-04-20T00:00:00Z")
	span          = v1.Range{Start: at("2026-04-18T12:07:00Z").Time(), End: at("2026-04-19T22:07:00Z").Time(), Step: time.Hour}
)

// referenceQueries are of each part of PromQL that its compliance tests cover, without atan2, of which
// Debian's version returns nothing.
func referenceQueries() (all []string) {
	each := func(form string, values ...string) {
		for _, v := range values {
			all = append(all, strings.ReplaceAll(form, "$", v))
		}
	}
	const avg, sum, count = `temperature{statistic="avg"}`, `temperature{statistic="sum"}`, `temperature{statistic="count"}`
	each("$", `1.5`, `temperature`, `temperature{subject="a"}`, `temperature{subject!="a"}`, `temperature{subject=~"a|b"}`, `temperature{subject!~".*c",statistic="max"}`,
		`{__name__=~"temp.*",statistic=~"min|max"}`, `nothing`, `temperature{subject="nobody"}`, `tidemark_events`, `tidemark_inexact`)
	for _, aggregation := range []string{"sum", "avg", "max", "min", "count", "stddev", "stdvar", "group"} {
		each(aggregation+"$("+avg+")", "", " by (subject) ", " by (nothing) ", " without (subject) ", " without () ")
	}
	each("$, "+avg+")", "topk(2", "topk by (kind) (1", "bottomk(2", "quantile(0.5", "quantile by (subject) (0.9", "quantile(-1", `count_values("v"`)
	each("$("+avg+")", "abs", "ceil", "floor", "exp", "ln", "log2", "log10", "sqrt", "sgn", "round", "sort", "sort_desc", "timestamp",
		"sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "deg", "rad", "absent", "-", "+", "scalar", "hour", "minute", "month", "year", "day_of_month", "day_of_week", "day_of_year", "days_in_month")
	each("$", "pi()", "time()", "vector(time())", "hour()", "scalar(sum("+avg+"))", "absent(nothing)", `absent(nothing{a="b"})`, "round("+avg+", 5)",
		"clamp("+avg+", -10, 20)", "clamp_min("+avg+", 3)", "clamp_max("+avg+", 3)", "clamp("+avg+", 20, -10)",
		"label_replace("+avg+`, "place", "room-$1", "subject", "(.*)")`, "label_join("+avg+`, "all", "-", "kind", "subject")`)
	for _, function := range []string{"avg", "min", "max", "sum", "count", "stddev", "stdvar", "last", "present"} {
		each(function+"_over_time("+avg+"[$])", "1h", "3h", "1d")
	}
	each("$", "quantile_over_time(0.9, "+avg+"[6h])", "absent_over_time(nothing[3h])", "absent_over_time("+avg+"[3h])")
	for _, function := range []string{"rate", "increase", "delta", "irate", "idelta", "deriv", "changes", "resets"} {
		each(function+"("+sum+"[$])", "3h", "1d")
	}
	each("$", "predict_linear("+avg+"[6h], 3600)", avg+" offset 3h", avg+" offset -2h", avg+" @ 1776556800", avg+" @ start()", avg+" @ end()",
		"sum_over_time("+avg+"[3h] @ end())", "rate("+sum+"[3h] offset 2h)", "avg_over_time("+avg+"[6h:1h])", "max_over_time(sum("+avg+")[1d:1h])",
		"sum_over_time("+count+"[3h:1h] offset 1h)", "min_over_time(rate("+sum+"[210m])[6h:1h])")
	for _, operator := range []string{"+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<="} {
		each("$", avg+" "+operator+" 7", "7 "+operator+" "+avg, sum+" "+operator+" ignoring (statistic) "+count)
	}
	for _, operator := range []string{"==", "!=", ">", "<", ">=", "<="} {
		each("$", avg+" "+operator+" bool 7", "7 "+operator+" bool 8")
	}
	return append(all, sum+" / on (subject) "+count, sum+" / on (subject) group_left (kind) "+count, "temperature / on (subject) group_left () tidemark_events",
		avg+" and "+avg+" > 7", avg+" or vector(1)", avg+` unless on (subject) temperature{subject="a"}`,
		avg+` and on (subject) temperature{subject="a"}`, avg+" > 7 or "+avg+" < 3", "-1 ^ 2", "2 * 3 % 2")
}

// Debian's Prometheus, which holds the samples of the hours, returns the same for each query.
func TestQueryRange_EqualsPrometheus(t *testing.T) {
	const server, tool = "../../build/promserver", "../../build/promtool"
	if _, err := exec.LookPath(server); err != nil {
		testenv.Missing(t, "promtool", "Prometheus is not installed: scripts/promtool.sh extracts it from Debian's package prometheus")
	}
	a, samples := newReference(t)
	reference, ours := startReference(t, server, tool, samples), newClient(t, a)
	queries := referenceQueries()
	equal, empty := 0, 0
	for _, q := range queries {
		want, _, _, err := reference.QueryRange(t.Context(), q, span)
		if err != nil {
			t.Errorf("Prometheus refuses %s: %v", q, err)
			continue
		}
		got, _, _, err := ours.QueryRange(t.Context(), q, span)
		if diff := difference(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", q, err, diff)
			continue
		}
		if equal++; len(want.(prom.Matrix)) == 0 {
			empty++
		}
	}
	t.Logf("%d of %d queries equal Prometheus's, %d of them empty", equal, len(queries), empty)
	if equal-empty < 150 {
		t.Errorf("%d queries have equal results with values, want 150", equal-empty)
	}
}

// newReference returns an API over hours of three subjects, and their samples as OpenMetrics.
func newReference(t *testing.T) (*promapi.API, string) {
	t.Helper()
	a := newAPI(t)
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &a.Catalog.Kinds[0]
	a.Query = &query.Service{Store: table, Now: clock}
	lines := map[string][]string{}
	for i, subject := range []string{"a", "b", "c"} {
		series := kind.Series(subject, "", model.Order{})
		rows := map[model.Time]*rollup.Row{}
		for when := referenceFrom; when < referenceTo; when = when.Add(time.Duration(10+5*i) * time.Minute) {
			if hour := int(when.Sub(referenceFrom) / time.Hour); subject == "b" && hour%11 == 7 {
				continue // an hour without events
			}
			addMeasured(kind, rows, series, when, int64(when/60_000)%int64(37+i)-int64(9*i))
		}
		for _, row := range rows {
			row.Exact, row.Rev, row.WrittenAt = row.Key.Start.Time().Hour() != 3, rollup.Rev{1}, now
			if _, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
				t.Fatal(err)
			}
		}
		listed := entity.ListedSeries{Series: series, First: referenceFrom, Last: referenceTo}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
		addSamples(lines, subject, rows)
	}
	var text strings.Builder
	for _, name := range []string{"temperature", "tidemark_events", "tidemark_inexact"} {
		fmt.Fprintf(&text, "# TYPE %s gauge\n%s", name, strings.Join(lines[name], ""))
	}
	return a, text.String() + "# EOF\n"
}

func addMeasured(kind *catalog.Kind, rows map[model.Time]*rollup.Row, s model.Series, when model.Time, value int64) {
	attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(value))}}
	e := model.Event{Series: s, Order: model.Order{At: when}, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: when}
	start := tier.Hour.BucketOf(when).Start
	if rows[start] == nil {
		rows[start] = &rollup.Row{Key: rollup.Key{Series: s, Tier: tier.Hour.String(), Start: start}, Fold: *rollup.NewFold(kind.Spec())}
	}
	rows[start].AddEvent(&e)
}

// addSamples adds the samples of a subject: those of each statistic, at the end of each hour.
func addSamples(lines map[string][]string, subject string, rows map[model.Time]*rollup.Row) {
	add := func(metric, labels string, end model.Time, value float64) {
		lines[metric] = append(lines[metric], fmt.Sprintf("%s{kind=\"READING\",subject=%q%s} %v %d\n", metric, subject, labels, value, end.Seconds()))
	}
	for start := referenceFrom; start < referenceTo; start = start.Add(time.Hour) {
		row := rows[start]
		if row == nil {
			continue
		}
		m, _ := row.Summary.Measure("temperature")
		f := query.FiguresOf(m)
		end := start.Add(time.Hour)
		for name, value := range map[string]float64{
			"avg": *f.Avg, "count": float64(f.Count), "first": f.First.Float64(), "invalid": float64(f.Invalid), "last": f.Last.Float64(),
			"max": f.Max.Float64(), "min": f.Min.Float64(), "p50": *f.P50, "p95": *f.P95, "p99": *f.P99, "stddev": *f.Stddev, "sum": f.Sum.Float64(),
		} {
			add("temperature", fmt.Sprintf(",statistic=%q", name), end, value)
		}
		add("tidemark_events", "", end, float64(row.Summary.Events()))
		add("tidemark_inexact", "", end, map[bool]float64{false: 1}[row.Exact])
	}
}

// startReference starts Prometheus with samples, and returns its client.
func startReference(t *testing.T, server, tool, samples string) v1.API {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"samples": samples, "prometheus.yml": "global: {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), tool, "tsdb", "create-blocks-from", "openmetrics", filepath.Join(dir, "samples"), filepath.Join(dir, "data")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	address := freeAddress(t)
	run := exec.CommandContext(context.Background(), server, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--storage.tsdb.retention.time=100y", "--query.lookback-delta=59m59s", "--web.listen-address="+address)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	deadline := time.Now().Add(time.Minute)
	for ready := false; !ready; {
		if response, err := http.Get("http://" + address + "/-/ready"); err == nil {
			response.Body.Close()
			ready = response.StatusCode == http.StatusOK
		}
		if !ready && time.Now().After(deadline) {
			t.Fatal("Prometheus is not ready after a minute")
		}
	}
	client, err := api.NewClient(api.Config{Address: "http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	return v1.NewAPI(client)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// difference describes the first difference of two results; "" if there is none. Numbers may differ by the
// rounding of another order of addition.
func difference(want, got prom.Value) string {
	w, g := streams(want), streams(got)
	for metric := range g {
		if _, ok := w[metric]; !ok {
			return "also has " + metric
		}
	}
	for metric, points := range w {
		if !slices.EqualFunc(points, g[metric], func(x, y prom.SamplePair) bool {
			a, b := float64(x.Value), float64(y.Value)
			return x.Timestamp == y.Timestamp && (a == b || math.Abs(a-b) <= 1e-9*math.Abs(a) || math.IsNaN(a) && math.IsNaN(b))
		}) {
			return fmt.Sprintf("%s\nwant %v\ngot  %v", metric, points, g[metric])
		}
	}
	return ""
}

func streams(v prom.Value) map[string][]prom.SamplePair {
	all := map[string][]prom.SamplePair{}
	matrix, _ := v.(prom.Matrix)
	for _, s := range matrix {
		all[s.Metric.String()] = s.Values
	}
	return all
}
