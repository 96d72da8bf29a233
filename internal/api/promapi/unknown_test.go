package promapi_test

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// A name that no series can have has a warning. A series without samples has none.
func TestQuery_SaysWhichNameIsUnknown(t *testing.T) {
	a := newAPI(t)
	for query, want := range map[string]string{
		`temprature`:                            "did you mean temperature?",
		`sum(rate(temprature[1h]))`:             "did you mean temperature?",
		`tidemark_events{kind="READNG"}`:        "did you mean READING?",
		`temperature{statistic="average"}`:      `statistic="average"`,
		`temperature{subjet="sensor_01"}`:       "did you mean subject?",
		`temperature{statistic="increase"}`:     `the selector finds has statistic="increase"`,
		`temperature{statistic=~"rate|resets"}`: "of counters",
		`temperature{subject="sensor_missing"}`: "",
		`temperature{stream="other"}`:           "",
		`temperature`:                           "",
		`{__name__=~"temprat.*"}`:               "",
	} {
		status, body := call(t, a, "GET", "query",
			url.Values{"query": {query}, "time": {"2026-04-20T14:30:00Z"}}.Encode(), "")
		warnings := fmt.Sprint(body["warnings"])
		if status != 200 || !strings.Contains(warnings, want) ||
			want == "" && warnings != "<nil>" || want != "" && warnings == "<nil>" {
			t.Errorf("%s: %d, warnings %s, want %q", query, status, warnings, want)
		}
	}
}

// Ten warnings are shown, in the same order each time, and a range that is not known is among them, although
// there are many inexact buckets.
func TestQuery_WarnsOfWhatIsMissingFirst(t *testing.T) {
	subjects := make([]string, 30)
	for i := range subjects {
		subjects[i] = fmt.Sprintf("sensor_%02d", i)
	}
	a := newAPIWith(t, at("2026-04-20T00:00:00Z"), subjects, func(int, model.Time) (model.Attrs, bool) {
		return model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(20)))}}, true
	})
	values := url.Values{"query": {"tidemark_events or temprature"}, "start": {"2026-04-20T00:00:00Z"},
		"end": {"2026-04-20T14:00:00Z"}, "step": {"1h"}}.Encode()
	_, want := call(t, a, "GET", "query_range", values, "")
	warnings, _ := want["warnings"].([]any)
	if len(warnings) != 11 || !strings.Contains(fmt.Sprint(warnings[0]), "did you mean temperature?") ||
		fmt.Sprint(warnings[10]) != "21 more warnings" {
		t.Errorf("%d warnings %q, want the misspelt name first, and how many are left out",
			len(warnings), warnings)
	}
	for range 5 {
		if _, got := call(t, a, "GET", "query_range", values, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("another order: %v, then %v", want["warnings"], got["warnings"])
		}
	}
}
