package ingest_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// expiredLatest appends one event and removes it, as TTL does. The latest item remains.
func expiredLatest(t *testing.T, s *ingest.Service, table *memory.Table, o ingest.TypedObservation) {
	t.Helper()
	kind := newKind(t, keeping)
	appendAll(t, s, kind, o)
	id := model.EventKey{Series: series(kind), Order: model.Order{At: o.At, ID: o.ID}}
	if err := table.DeleteItem(t.Context(), keys.Event(id)); err != nil {
		t.Fatal(err)
	}
}

// The last observation has the identity of the latest item, whose event has expired. In a
// batch of 99 it is sent in the second transaction.
func TestAppend_TheLatestItemKeepsTheIdentityOfItsExpiredEventInEveryTransaction(t *testing.T) {
	t.Parallel()
	for value, want := range map[int64]model.Outcome{1: model.Duplicate, 2: model.Collision} {
		for _, size := range []int{1, 98, 99, 300} {
			table := memory.New(clock)
			s := serviceOn(table, 1)
			expiredLatest(t, s, table, observation(minute(300), "", num("t", 1)))
			var batch []ingest.TypedObservation
			for i := range size - 1 {
				batch = append(batch, observation(minute(i), "", num("t", int64(i))))
			}
			batch = append(batch, observation(minute(300), "", num("t", value)))
			got := appendAll(t, s, newKind(t, keeping), batch...)
			if last := got[size-1].Outcome; last != want {
				t.Errorf("batch of %d: the last is %s, want %s as one by one", size, last, want)
			}
			if n := len(readEvents(t, table, series(newKind(t, keeping)))); n != size-1 {
				t.Errorf("batch of %d: %d events stored, want %d", size, n, size-1)
			}
		}
	}
}

func TestAppend_AStoredCorrectionComesBeforeTheHashOfTheLatestItem(t *testing.T) {
	t.Parallel()
	kind, table := newKind(t, keeping), memory.New(clock)
	s := serviceOn(table, 1)
	appendAll(t, s, kind, observation(minute(300), "", num("t", 1)))
	corrected := readEvents(t, table, series(kind))[0]
	corrected.Attrs = model.Attrs{num("t", 2)}
	corrected.Hash = model.HashAttrs(corrected.Attrs)
	if _, err := table.CorrectEvent(t.Context(), corrected, clock()); err != nil {
		t.Fatal(err)
	}
	var batch []ingest.TypedObservation
	for i := range 98 {
		batch = append(batch, observation(minute(i), "", num("t", int64(i))))
	}
	got := appendAll(t, s, kind, append(batch, observation(minute(300), "", num("t", 2)))...)
	if last := got[98].Outcome; last != model.Duplicate {
		t.Errorf("the corrected payload is %s, want %s", last, model.Duplicate)
	}
}
