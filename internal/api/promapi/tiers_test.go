package promapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A function that compares samples reads a tier of which its range has two; what adds samples up reads the
// coarsest one. If even the finest has too few, the response has a warning: an empty result alone would look
// like a series that does not change.
func TestQuery_ComparesAtLeastTwoBuckets(t *testing.T) {
	a := newAPI(t)
	for text, want := range map[string]string{
		`changes(temperature{statistic="avg"}[1d])`:                 "hourly",
		`resets(temperature{statistic="avg"}[1d])`:                  "hourly",
		`rate(temperature{statistic="last"}[36h])`:                  "hourly",
		`rate(temperature{statistic="last"}[2d])`:                   "daily",
		`stddev_over_time(temperature{statistic="avg"}[1d])`:        "hourly",
		`quantile_over_time(0.5, temperature{statistic="avg"}[1d])`: "hourly",
		`sum_over_time(temperature{statistic="sum"}[1d])`:           "daily",
		`max_over_time(temperature{statistic="max"}[1d])`:           "daily",
		`avg_over_time(temperature{statistic="avg"}[1h])`:           "hourly",
		`rate(temperature{statistic="last"}[2h])`:                   "hourly",
		`rate(temperature{statistic="last"}[1h])`:                   "hourly, too few for rate",
		`sum_over_time(temperature{statistic="sum"}[30m])`:          "hourly, too few for sum_over_time",
		`rate(temperature{statistic="last"}[1d:1h])`:                "hourly",
	} {
		status, body := call(t, a, "GET", "query", url.Values{"query": {text}}.Encode(), "")
		tier, few, _ := strings.Cut(want, ", too few for ")
		infos, warnings := fmt.Sprint(body["infos"]), fmt.Sprint(body["warnings"])
		if status != 200 || !strings.Contains(infos, "info: "+tier+" rollups") ||
			(few != "") != strings.Contains(warnings, "too few") || !strings.Contains(warnings, few) {
			t.Errorf("%s: %d, infos %s, warnings %s, want %s", text, status, infos, warnings, want)
		}
	}
}

// What is known to be empty has not expired: a device that began this week has hours in a long range.
func TestQuery_ReadsTheFinestTierOfANewDevice(t *testing.T) {
	a := newAPI(t)
	for _, from := range []string{"2025-09-01T00:00:00Z", "1948-01-01T00:00:00Z"} {
		form := url.Values{"query": {"count_over_time(tidemark_events[1h])"}, "start": {from},
			"end": {"2026-04-20T14:00:00Z"}, "step": {"5d"}}
		status, body := call(t, a, "POST", "query_range", "", form.Encode())
		want := "hourly rollups]"
		if from < "2000" {
			want = "daily rollups: hourly rollups of this range are too many]"
		}
		if infos := fmt.Sprint(body["infos"]); status != 200 || !strings.Contains(infos, want) {
			t.Errorf("from %s: %d, infos %s, want %s", from, status, infos, want)
		}
	}
}
