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
