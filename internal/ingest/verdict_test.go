package ingest_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An event says how it was stored, one by one and in a batch alike: what follows from
// applied events alone cannot tell afterwards.
func TestAppend_EventsSayWhetherTheyCameLate(t *testing.T) {
	want := map[model.Time]bool{minute(10): false, minute(5): true, minute(20): false, minute(15): true, minute(7): true}
	drafts := []int{10, 5, 20, 15, 7}
	for name, inOneCall := range map[string]bool{"one by one": false, "in a batch": true} {
		table, kind := memory.New(clock), kindOf(t, keeping)
		s := serviceOn(table, 1)
		if inOneCall {
			appendAll(t, s, kind, draft(minute(drafts[0]), ""), draft(minute(drafts[1]), ""), draft(minute(drafts[2]), ""), draft(minute(drafts[3]), ""), draft(minute(drafts[4]), ""))
		} else {
			for _, m := range drafts {
				appendAll(t, s, kind, draft(minute(m), ""))
			}
		}
		requireLate(t, name, table, kind, want)
	}
	table, kind := memory.New(clock), kindOf(t, withoutCurrent)
	appendAll(t, serviceOn(table, 1), kind, draft(minute(10), ""), draft(minute(5), ""))
	requireLate(t, "without current", table, kind, map[model.Time]bool{minute(5): false, minute(10): false})
}

func requireLate(t *testing.T, name string, table *memory.Table, kind *catalog.Kind, want map[model.Time]bool) {
	t.Helper()
	page, err := table.Events(t.Context(), model.Range{Series: series(kind), From: model.MinTime, To: model.MaxTime})
	if err != nil || len(page.Events) != len(want) {
		t.Fatalf("%s: %d events, %v; want %d", name, len(page.Events), err, len(want))
	}
	for _, e := range page.Events {
		if e.Late != want[e.At] {
			t.Errorf("%s: the event of %s says late: %v", name, e.At, e.Late)
		}
	}
}
