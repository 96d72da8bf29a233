package ingest_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An event that is stored late is marked, alone and in a batch: code that uses applied events
// only cannot detect it later.
func TestAppend_MarksLateEvents(t *testing.T) {
	want := map[model.Time]bool{minute(10): false, minute(5): true, minute(20): false, minute(15): true,
		minute(7): true}
	observations := []int{10, 5, 20, 15, 7}
	for name, inOneCall := range map[string]bool{"one by one": false, "in a batch": true} {
		table, kind := memory.New(clock), newKind(t, keeping)
		s := serviceOn(table, 1)
		if inOneCall {
			appendAll(t, s, kind, observation(minute(observations[0]), ""), observation(minute(observations[1]), ""),
				observation(minute(observations[2]), ""), observation(minute(observations[3]), ""),
				observation(minute(observations[4]), ""))
		} else {
			for _, m := range observations {
				appendAll(t, s, kind, observation(minute(m), ""))
			}
		}
		requireLate(t, name, table, kind, want)
	}
	table, kind := memory.New(clock), newKind(t, withoutLatest)
	appendAll(t, serviceOn(table, 1), kind, observation(minute(10), ""), observation(minute(5), ""))
	requireLate(t, "without latest item", table, kind, map[model.Time]bool{minute(5): false, minute(10): false})
}

func requireLate(t *testing.T, name string, table *memory.Table, kind *catalog.Kind,
	want map[model.Time]bool) {
	t.Helper()
	page, err := table.Events(t.Context(),
		storage.Range{Series: series(kind), From: model.MinTime, To: model.MaxTime})
	if err != nil || len(page.Events) != len(want) {
		t.Fatalf("%s: %d events, %v; want %d", name, len(page.Events), err, len(want))
	}
	for _, e := range page.Events {
		if e.Late != want[e.At] {
			t.Errorf("%s: the event at %s is marked late: %v", name, e.At, e.Late)
		}
	}
}
