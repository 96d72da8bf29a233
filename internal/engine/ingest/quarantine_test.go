package ingest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var rejection = ingest.Rejection{
	Source:  "iot",
	Origin:  "delivery/0",
	Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"},
	Errors:  []model.FieldError{{Field: "a", Code: ingest.CodeNested, Message: "is an object"}, {Field: "b", Code: ingest.CodeNested, Message: "is an array"}},
	Payload: []byte(`{"a":{},"b":[]}`),
}

func quarantined(t *testing.T, table *memory.Table) []storage.Quarantined {
	t.Helper()
	var all []storage.Quarantined
	for _, it := range scan(t, table) {
		q, err := item.Quarantined(it)
		if err != nil {
			t.Fatalf("decode a quarantined item: %v", err)
		}
		all = append(all, q)
	}
	return all
}

func TestQuarantine_StoresARepeatedDeliveryOnce(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	s := serviceOn(table, 1)
	s.QuarantineStore = table
	other := rejection
	other.Origin = "delivery/1"
	for _, r := range []ingest.Rejection{rejection, rejection, other} {
		if err := s.Quarantine(t.Context(), r); err != nil {
			t.Fatalf("Quarantine: %v", err)
		}
	}
	all := quarantined(t, table)
	if len(all) != 2 {
		t.Fatalf("stored %d, want 2: one of each origin", len(all))
	}
	q := all[0]
	if q.Subject != rejection.Subject || string(q.Payload) != string(rejection.Payload) ||
		q.Reason != "a: is an object (and 1 more)" {
		t.Errorf("stored %+v, want the subject, the complete payload and the reason", q)
	}
	if want := clock().Add(30 * tier.Day24).Seconds(); q.ExpiresAt != want {
		t.Errorf("expires at %d, want %d", q.ExpiresAt, want)
	}
}

// shaky returns each of results once before it calls the table.
type shaky struct {
	*memory.Table
	results []storage.WriteResult
}

func (s *shaky) Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error) {
	if len(s.results) > 0 {
		result := s.results[0]
		s.results = s.results[1:]
		return result, nil
	}
	return s.Table.Quarantine(ctx, q)
}

func TestQuarantine_SurvivesTransientFailures(t *testing.T) {
	t.Parallel()
	store := &shaky{memory.New(clock),
		[]storage.WriteResult{storage.Throttled, storage.Unknown, storage.Conflicted}}
	s := serviceOn(store.Table, 1)
	s.QuarantineStore = store
	if err := s.Quarantine(t.Context(), rejection); err != nil {
		t.Fatalf("Quarantine: %v", err)
	}
	if n := len(quarantined(t, store.Table)); n != 1 {
		t.Errorf("stored %d, want 1", n)
	}
}

func TestQuarantine_ReturnsAnErrorIfTheResultIsUnknown(t *testing.T) {
	t.Parallel()
	s := serviceOn(memory.New(clock), 1)
	s.QuarantineStore, s.RetryPolicy.Attempts = &shaky{memory.New(clock),
		[]storage.WriteResult{storage.Throttled, storage.Throttled}}, 2
	err := s.Quarantine(t.Context(), rejection)
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want one, so that the source delivers it again", err)
	}
}
