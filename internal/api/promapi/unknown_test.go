package promapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
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
		`temperature{subject="sensor_missing"}`: "",
		`temperature{stream="other"}`:           "",
		`temperature`:                           "",
		`{__name__=~"temprat.*"}`:               "",
	} {
		status, body := call(t, a, "GET", "query",
			url.Values{"query": {query}, "time": {"2026-04-20T14:30:00Z"}}.Encode(), "")
		warnings := fmt.Sprint(body["warnings"])
		if status != 200 || !strings.Contains(warnings, want) ||
			(want == "") == strings.Contains(warnings, "no series has") {
			t.Errorf("%s: %d, warnings %s, want %q", query, status, warnings, want)
		}
	}
}
