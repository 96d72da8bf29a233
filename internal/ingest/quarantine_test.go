package ingest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var rejection = ingest.Rejection{
	Door:    "iot",
	Origin:  "delivery/0",
	Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"},
	Errors:  []model.FieldError{{Field: "a", Code: ingest.CodeNested, Message: "is an object"}, {Field: "b", Code: ingest.CodeNested, Message: "is an array"}},
	Payload: []byte(`{"a":{},"b":[]}`),
}

func kept(t *testing.T, table *memory.Table) []model.Quarantined {
	t.Helper()
	var all []model.Quarantined
	for _, it := range scan(t, table) {
		q, err := item.Quarantined(it)
		if err != nil {
			t.Fatalf("decode what is kept: %v", err)
		}
		all = append(all, q)
	}
	return all
}

func TestSetAside_KeepsARepeatedDeliveryOnce(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	s := serviceOn(table, 1)
	s.Quarantine = table
	other := rejection
	other.Origin = "delivery/1"
	for _, r := range []ingest.Rejection{rejection, rejection, other} {
		if err := s.SetAside(t.Context(), r); err != nil {
			t.Fatalf("SetAside: %v", err)
		}
	}
	all := kept(t, table)
	if len(all) != 2 {
		t.Fatalf("kept %d, want 2: one of each origin", len(all))
	}
	q := all[0]
	if q.Subject != rejection.Subject || string(q.Payload) != string(rejection.Payload) || q.Reason != "a: is an object (and 1 more)" {
		t.Errorf("kept %+v, want it under its subject, whole, with its reason", q)
	}
	if want := clock().Add(30 * tier.Day24).Seconds(); q.ExpiresAt != want {
		t.Errorf("expires at %d, want %d", q.ExpiresAt, want)
	}
}

// shaky answers each of answers once, then does as asked.
type shaky struct {
	*memory.Table
	answers []model.Answer
}

func (s *shaky) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	if len(s.answers) > 0 {
		answer := s.answers[0]
		s.answers = s.answers[1:]
		return answer, nil
	}
	return s.Table.Quarantine(ctx, q)
}

func TestSetAside_OutlastsPassingFailures(t *testing.T) {
	t.Parallel()
	store := &shaky{memory.New(clock), []model.Answer{model.Throttled, model.Uncertain, model.Conflicting}}
	s := serviceOn(store.Table, 1)
	s.Quarantine = store
	if err := s.SetAside(t.Context(), rejection); err != nil {
		t.Fatalf("SetAside: %v", err)
	}
	if n := len(kept(t, store.Table)); n != 1 {
		t.Errorf("kept %d, want 1", n)
	}
}

func TestSetAside_SaysWhenItIsNotKnownToBeKept(t *testing.T) {
	t.Parallel()
	s := serviceOn(memory.New(clock), 1)
	s.Quarantine, s.Patience.Attempts = &shaky{memory.New(clock), []model.Answer{model.Throttled, model.Throttled}}, 2
	err := s.SetAside(t.Context(), rejection)
	if err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want one that asks for the delivery again", err)
	}
}
