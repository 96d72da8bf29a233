package promapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Parameters mean what they mean to Prometheus, or are refused: none is left out in silence.
func TestServe_UsesEachParameter(t *testing.T) {
	a := newAPI(t)
	for name, c := range map[string]struct {
		path, values, form string
		status             int
		want               []string
	}{
		"limit of an instant query": {"query", "query=temperature&limit=2", "", 200,
			[]string{"statistic:avg", "statistic:count", "!statistic:first", "truncated due to limit"}},
		"limit of a range": {"query_range",
			"query=temperature&limit=1&start=1776690000&end=1776693600&step=3600", "", 200,
			[]string{"statistic:avg", "!statistic:count", "results truncated due to limit"}},
		"limit above":       {"query", "query=temperature&limit=12", "", 200, []string{"!truncated"}},
		"limit of a scalar": {"query", "query=1&limit=1", "", 200, []string{"!truncated"}},
		"a limit below 0":   {"query", "query=1&limit=-1", "", 400, []string{"limit"}},
		"a limit of metadata": {"metadata", "limit=2", "",
			200, []string{"battery", "humidity", "!temperature"}},
		"a bad limit of it": {"metadata", "limit=x", "", 400, []string{"limit"}},
		"limit_per_metric":  {"metadata", "limit_per_metric=x", "", 400, []string{"limit_per_metric"}},
		"a timeout": {"query", "query=temperature&timeout=30s", "",
			200, []string{"statistic:avg"}},
		"a bad timeout":   {"query", "query=1&timeout=soon", "", 400, []string{"timeout"}},
		"a timeout of 0":  {"query", "query=1&timeout=0", "", 400, []string{"timeout"}},
		"stats":           {"query", "query=1&stats=all", "", 200, []string{"evalTotalTime"}},
		"no stats":        {"query", "query=1", "", 200, []string{"!stats"}},
		"the form before": {"query", "query=1", "query=2", 200, []string{" 2] resultType:scalar"}},
		"selectors of both": {"series", "match[]=tidemark_events", "match[]=tidemark_inexact",
			200, []string{"tidemark_events", "tidemark_inexact"}},
		"a bad start": {"labels", "start=noon", "", 400, []string{"start"}},
		"an end before": {"series", "match[]=temperature&start=5&end=1", "",
			400, []string{"end is before start"}},
		"all time": {"labels", "start=-292273086-05-16T16:47:06Z&end=292277025-08-18T07:12:54.999999999Z", "",
			200, []string{"subject"}},
		"an escaped label": {"label/U__subject/values", "", "", 200, []string{"sensor_01"}},
		"no label":         {"label//values", "", "", 400, []string{"no name of a label"}},
		"a misspelt label": {"label/subjet/values", "", "",
			200, []string{"data:[]", "did you mean subject?"}},
		"a misspelt metric": {"series", "match[]=temprature", "",
			200, []string{"data:[]", "did you mean temperature?"}},
		"values of it": {"label/subject/values", "match[]=temprature", "",
			200, []string{"did you mean temperature?"}},
		"metadata of it": {"metadata", "metric=temprature", "",
			200, []string{"data:map[]", "did you mean temperature?"}},
		"a step of centuries": {"query_range", "query=1&start=1&end=2&step=5e9", "",
			200, []string{"resultType:matrix"}},
		"a time after 2261": {"query", "query=1&time=1e10", "", 400, []string{"1678 to 2261"}},
		"a start before 1678": {"query_range", "query=1&start=-1e10&end=1&step=1h", "",
			400, []string{"1678 to 2261"}},
		"@ after all times": {"query", "query=temperature @ 9e15", "", 200, []string{"result:[]"}},
		"@ before all times": {"query", "query=sum_over_time(temperature[290y] @ -9.2e15 offset 290y)", "",
			200, []string{"result:[]"}},
		"an undeclared label": {"query", `query=temperature{measure="temprature"}`, "",
			200, []string{`measure="temprature"`}},
		"misspelt statistics": {"query", `query=temperature{statistic=~"averag|p96"}`, "",
			200, []string{"did you mean avg?", "did you mean p95?"}},
		"one of them is known": {"query", `query=temperature{statistic=~"averag|p95"}`, "",
			200, []string{"statistic:p95", "!did you mean"}},
	} {
		values, _ := url.ParseQuery(c.values)
		method := "GET"
		if c.form != "" {
			method = "POST"
		}
		status, body := call(t, a, method, c.path, values.Encode(), c.form)
		for _, want := range c.want {
			text, not := strings.CutPrefix(want, "!")
			if status != c.status || strings.Contains(fmt.Sprint(body), text) == not {
				t.Errorf("%s: %d %.300v, want %d, %s", name, status, body, c.status, want)
			}
		}
	}
}

// unreadable is a store whose rows cannot be read.
type unreadable struct {
	query.Store
	err error
}

func (u unreadable) Rows(context.Context, tier.Unit, storage.Range) (rollup.RowPage, error) {
	return rollup.RowPage{}, u.err
}

// An error of the table is not one of the query, and says nothing of the table. A deadline is a timeout.
func TestQuery_TellsErrorsOfTheTableFromThoseOfTheQuery(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		want   string
	}{
		"the table":     {errors.New("table secret-name"), 500, "internal the table could not be read"},
		"the deadline":  {fmt.Errorf("read rows: %w", context.DeadlineExceeded), 503, "timeout "},
		"an abort":      {fmt.Errorf("read rows: %w", context.Canceled), 503, "canceled "},
		"a wide search": {query.ErrTooLong, 422, "execution "},
	} {
		a := newAPI(t)
		a.Query.Store = unreadable{a.Query.Store, c.err}
		status, body := call(t, a, "GET", "query", "query=temperature", "")
		text := fmt.Sprint(body["errorType"], " ", body["error"])
		if status != c.status || !strings.HasPrefix(text, c.want) || strings.Contains(text, "secret-name") {
			t.Errorf("%s: %d %s, want %d %s", name, status, text, c.status, c.want)
		}
	}
}
