package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// wide returns an observation of 220 KB whose fields begin with prefix.
func wide(prefix string, m int) ingest.TypedObservation {
	o := observation(minute(m), "")
	for i := range 55 {
		o.Attrs = append(o.Attrs,
			model.Attr{Name: fmt.Sprintf("%s%d", prefix, i), Value: model.TextValue(strings.Repeat("x", 4000))})
	}
	return o
}

func TestAppend_AnEventThatMakesTheLatestItemTooLargeIsRejectedAlone(t *testing.T) {
	t.Parallel()
	observations := []ingest.TypedObservation{wide("a", 0), wide("b", 1),
		observation(minute(2), "", num("t", 1)), wide("a", 3)}
	for name, send := range map[string]func(testing.TB, *ingest.Service,
		...ingest.TypedObservation) []model.AppendResult{
		"in one batch": func(t testing.TB, s *ingest.Service, o ...ingest.TypedObservation) []model.AppendResult {
			return appendAll(t, s, newKind(t, keeping), o...)
		},
		"one by one": func(t testing.TB, s *ingest.Service, o ...ingest.TypedObservation) []model.AppendResult {
			return appendEach(t, s, newKind(t, keeping), o...)
		},
	} {
		table := memory.New(clock)
		got := send(t, serviceOn(table, 1), observations...)
		wantOutcomes(t, got, model.Applied, model.Rejected, model.Applied, model.Applied)
		if errs := got[1].Errors; len(errs) != 1 || errs[0].Code != ingest.CodeLatestTooLarge {
			t.Errorf("%s: errors %v, want %s", name, errs, ingest.CodeLatestTooLarge)
		}
		if n := len(readEvents(t, table, series(newKind(t, keeping)))); n != 3 {
			t.Errorf("%s: %d events stored, want 3", name, n)
		}
	}
}

func TestAppendIf_RejectsAnEventThatMakesTheLatestItemTooLarge(t *testing.T) {
	t.Parallel()
	kind, s := newKind(t, keeping), serviceOn(memory.New(clock), 1)
	appendAll(t, s, kind, wide("a", 0))
	got, err := s.AppendIf(t.Context(), kind, wide("b", 1), model.Condition{{Field: "a1", Op: model.Exists}})
	if err != nil || got.Outcome != model.Rejected {
		t.Errorf("outcome %s, %v; want %s", got.Outcome, err, model.Rejected)
	}
}
