package httpapi_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// NDJSON and CSV have in headers what JSON has beside the list.
func TestReadResponse_HasTheBoundsOfAList(t *testing.T) {
	at := model.Time(0)
	part := func(from, to model.Time) views.Missing {
		return views.Missing{Segment: views.Segment{From: from, To: to}}
	}
	progress := views.Progress{CompleteThrough: &at, ProcessedThrough: &at,
		Unprocessed: []views.Unprocessed{{From: 0, To: 1000}}}
	rollups := views.Rollups{Progress: progress, Missing: []views.Missing{part(0, 1000), part(2000, 3000)}}
	const zero, range0 = "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z/1970-01-01T00:00:01.000Z"
	want := map[string]string{
		"Tidemark-Complete-Through": zero, "Tidemark-Processed-Through": zero, "Tidemark-Unprocessed": range0,
		"Tidemark-Missing": range0 + ", 1970-01-01T00:00:02.000Z/1970-01-01T00:00:03.000Z",
	}
	for _, accept := range []string{"text/csv", "application/x-ndjson"} {
		got, err := respond(t, rollups, "accept", accept)
		for name, value := range want {
			if got.Headers[name] != value || err != nil {
				t.Errorf("%s: %s is %q, %v; want %q", accept, name, got.Headers[name], err, value)
			}
		}
		history := newHistory(1)
		history.WholeFrom = &at
		got, err = respond(t, history, "accept", accept)
		if got.Headers["Tidemark-Whole-From"] != zero || err != nil {
			t.Errorf("%s: headers %v, %v; want from when on events are whole", accept, got.Headers, err)
		}
	}
	got, err := respond(t, rollups)
	if got.Headers["Tidemark-Missing"] != "" || !strings.Contains(got.Body, `"missing":`) || err != nil {
		t.Errorf("JSON: %v %s, %v; want what is missing in the body", got.Headers, got.Body, err)
	}
}

// Each result that has a progress passes it beside its list, with what is missing if it has that too.
func TestReadResponse_HasTheBoundsOfEachList(t *testing.T) {
	at := model.Time(0)
	progress := views.Progress{ProcessedThrough: &at, UnprocessedSince: &at}
	missing := []views.Missing{{Segment: views.Segment{From: 0, To: 1000}}}
	for name, result := range map[string]any{
		"alerts": views.Alerts{Progress: progress}, "silent": views.SilentSubjects{Progress: progress},
		"silent counts": views.SilentCounts{Progress: progress},
		"subjects":      views.ListedSubjects{Progress: progress},
		"a subject":     views.SubjectSeries{Progress: progress},
		"alert counts":  views.AlertCounts{Progress: progress, Missing: missing},
		"increases":     views.Increases{Progress: progress, Missing: missing},
	} {
		got, err := respond(t, result, "accept", "text/csv")
		for _, header := range []string{"Tidemark-Processed-Through", "Tidemark-Unprocessed-Since"} {
			if got.Headers[header] != "1970-01-01T00:00:00.000Z" || err != nil {
				t.Errorf("%s: headers %v, %v; want %s", name, got.Headers, err, header)
			}
		}
		counted := name == "alert counts" || name == "increases"
		if (got.Headers["Tidemark-Missing"] != "") != counted {
			t.Errorf("%s: headers %v; want what is missing: %v", name, got.Headers, counted)
		}
	}
}

// A header stays short: more ranges than it has space for become one, and none is left out.
func TestReadResponse_JoinsManyRangesOfAHeader(t *testing.T) {
	var rollups views.Rollups
	for i := range model.Time(21) {
		part := views.Segment{From: i * 2000, To: i*2000 + 1000}
		rollups.Missing = append(rollups.Missing, views.Missing{Segment: part})
	}
	got, err := respond(t, rollups, "accept", "text/csv")
	const want = "1970-01-01T00:00:00.000Z/1970-01-01T00:00:41.000Z"
	if got.Headers["Tidemark-Missing"] != want || err != nil {
		t.Errorf("got %q, %v; want %q", got.Headers["Tidemark-Missing"], err, want)
	}
}
