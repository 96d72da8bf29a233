package promapi_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A query of some bytes or kilobytes cannot hold the function: what is too long, too deep or of too many
// steps is refused before it is parsed or evaluated.
func TestServe_RefusesAtOnceWhatIsTooMuch(t *testing.T) {
	a := newAPI(t)
	query := func(text string) string { return "query=" + url.QueryEscape(text) }
	nested := func(n int, before, after string) string {
		labelled := `label_replace(vector(1),"a","abcdefgh","","")`
		return strings.Repeat(before, n) + labelled + strings.Repeat(after, n)
	}
	million := strings.Repeat(`\\pL{999}`, 700)
	const range1 = "&start=1776600000&end=1776610000&step=1"
	for name, c := range map[string]struct {
		path, query string
		want        int
	}{
		"a year of milliseconds":              {"query", "query=" + url.QueryEscape("sum_over_time(vector(1)[1y:1ms])"), 400},
		"a month of milliseconds":             {"query", "query=" + url.QueryEscape("sum_over_time(vector(1)[30d:1ms])"), 400},
		"subqueries in a subquery":            {"query", "query=" + url.QueryEscape("max_over_time(sum_over_time(vector(1)[1h:1s])[3h:1s])"), 400},
		"a short subquery of a range":         {"query_range", "query=" + url.QueryEscape("sum_over_time(vector(1)[1m:1ms])") + range1, 400},
		"many subqueries":                     {"query", "query=" + url.QueryEscape(strings.Repeat("sum_over_time(vector(1)[1h:1s])+", 4)+"1"), 400},
		"a subquery of the table's hours":     {"query", "query=" + url.QueryEscape("sum_over_time(vector(1)[30d:])"), 200},
		"a hundred thousand parentheses":      {"query", "query=" + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), 400},
		"three thousand parentheses":          {"query", "query=" + strings.Repeat("(", 3_000) + "1" + strings.Repeat(")", 3_000), 400},
		"parentheses within the limit":        {"query", "query=" + strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60), 200},
		"twenty thousand terms":               {"query", "query=1" + strings.Repeat("%2B1", 20_000), 400},
		"four thousand terms":                 {"query", "query=1" + strings.Repeat("%2B1", 4_000), 400},
		"terms within the limit":              {"query", "query=1" + strings.Repeat("%2B1", 500), 200},
		"unary minus, many times":             {"query", "query=" + strings.Repeat("-", 8_000) + "1", 400},
		"a label filter of a hundred matches": {"query", "query=" + url.QueryEscape("{"+strings.Repeat(`kind="a",`, 600)+"}"), 400},
		"33 selectors":                        {"series", strings.Repeat("match[]=temperature&", 33), 400},
		"32 selectors":                        {"series", strings.Repeat("match[]=temperature&", 32), 200},
		"functions without series":            {"query_range", query(strings.Repeat("time()+", 480)+"1") + range1, 400},
		"such functions in a subquery": {"query",
			query("sum_over_time((1" + strings.Repeat("+time()%3", 240) + ")[3h:1s])"), 400},
		"labels that double": {"query", query(nested(25, "label_join(", `,"a","","a","a")`)), 400},
		"labels that grow sixfold": {"query",
			query(nested(7, "label_replace(", `,"a","$1$1$1$1$1$1","a","(.*)")`)), 400},
		"labels of a dashboard": {"query",
			query(nested(6, "label_replace(", `,"a","$1-x","a","(.*)")`)), 200},
		"a regular expression of a million": {"query", query(`{subject=~"` + million + `"}`), 400},
		"such a one, in escapes": {"query",
			query(`{subject=~"x` + strings.Repeat(`\x7b999\x7d|x`, 400) + `"}`), 400},
		"such a one of a label":         {"query", query(`label_replace(up,"a","b","c","` + million + `")`), 400},
		"such a one of match[]":         {"series", "match[]=" + url.QueryEscape(`{subject=~"`+million+`"}`), 400},
		"a count of digits":             {"query", query(`{subject=~"sensor_[0-9]{2,4}"}`), 200},
		"fifteen terms of a wide graph": {"query_range", query("1"+strings.Repeat("+time()%3", 15)) + range1, 200},
	} {
		began := time.Now()
		response := a.Serve(t.Context(),
			&httpapi.Request{Method: "GET", Path: httpapi.PrometheusPath + "/api/v1/" + c.path, RawQuery: c.query})
		if took := time.Since(began); response.Status != c.want || took > 2*time.Second {
			t.Errorf("%s: %d after %s, want %d: %.200s", name, response.Status, took, c.want, response.Body)
		}
	}
}

// The selectors of a request share one reading of the list of series.
func TestServe_ReadsTheListOnceForAllSelectors(t *testing.T) {
	units := func(selectors int) float64 {
		a := newAPI(t)
		ctx, meter := model.WithReadMeter(t.Context())
		a.Serve(ctx, &httpapi.Request{Method: "GET", Path: httpapi.PrometheusPath + "/api/v1/series",
			RawQuery: strings.Repeat("match[]=temperature&", selectors)})
		return meter.Cost().Units
	}
	if one, many := units(1), units(32); one == 0 || many != one {
		t.Errorf("32 selectors took %v read units, one %v", many, one)
	}
}

// The list of series is used for a minute, in all requests; then a new series is in it.
func TestServe_ReadsTheListAgainAfterAMinute(t *testing.T) {
	a := newAPI(t)
	clock := now
	a.Query.Now = func() model.Time { return clock }
	series := func(matcher string) (found int, units float64) {
		ctx, meter := model.WithReadMeter(t.Context())
		response := a.Serve(ctx, &httpapi.Request{
			Method: "GET", Path: httpapi.PrometheusPath + "/api/v1/series",
			RawQuery: "match[]=" + url.QueryEscape("tidemark_events"+matcher),
		})
		return strings.Count(response.Body, `"subject"`), meter.Cost().Units
	}
	const one, some, all = `{subject="sensor_02"}`, `{subject=~"sensor_01|sensor_02"}`, `{subject=~"sensor_.+"}`
	for _, matcher := range []string{one, some, all} {
		if _, units := series(matcher); units == 0 {
			t.Errorf("%s reads nothing", matcher)
		}
	}
	added := storage.ListedSeries{Series: a.Catalog.Kinds[0].Series("sensor_02", "", model.Order{}), First: now,
		Last: now}
	if err := a.Query.Store.(*memory.Table).PutItem(t.Context(), item.FromListedSeries(added)); err != nil {
		t.Fatal(err)
	}
	for matcher, want := range map[string]int{one: 0, some: 1, all: 1} {
		if found, units := series(matcher); found != want || units != 0 {
			t.Errorf("%s has %d series by %v read units within a minute, want %d by none", matcher, found, units, want)
		}
	}
	clock = clock.Add(time.Minute)
	for _, c := range []struct {
		matcher string
		want    int
		units   float64
	}{{one, 1, 1}, {some, 2, 1}, {all, 2, 4}} { // the second has read sensor_02, the third has four shards
		if found, units := series(c.matcher); found != c.want || units != c.units {
			t.Errorf("%s has %d series by %v read units after a minute, want %d by %v", c.matcher, found, units,
				c.want, c.units)
		}
	}
}

// The limit of listed series is of all subjects that a selector names, although each is read on its own.
func TestServe_CountsTheListedSeriesOfAllNamedSubjects(t *testing.T) {
	a := newAPI(t)
	for _, subject := range []string{"sensor_02", "sensor_03"} {
		for n := range 5_001 {
			one := storage.ListedSeries{
				Series: a.Catalog.Kinds[0].Series(subject, strconv.Itoa(n), model.Order{}), First: now, Last: now,
			}
			if err := a.Query.Store.(*memory.Table).PutItem(t.Context(), item.FromListedSeries(one)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for matcher, want := range map[string]int{
		`{subject="sensor_02"}`:            200,
		`{subject=~"sensor_01|sensor_03"}`: 200,
		`{subject=~"sensor_02|sensor_03"}`: 422,
	} {
		response := a.Serve(t.Context(), &httpapi.Request{
			Method: "GET", Path: httpapi.PrometheusPath + "/api/v1/series",
			RawQuery: "match[]=" + url.QueryEscape("tidemark_events"+matcher),
		})
		refused := strings.Contains(response.Body, "more than 10000 listed series")
		if response.Status != want || refused != (want != 200) {
			t.Errorf("%s: %d, want %d: %.200s", matcher, response.Status, want, response.Body)
		}
	}
}
