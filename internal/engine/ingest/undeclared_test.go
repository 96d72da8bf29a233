package ingest_test

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestValidation_UndeclaredFieldsFollowThePolicyOfTheKind(t *testing.T) {
	t.Parallel()
	body := reading(with("temperature", "21") + with("room", `"a"`) + with("debug00", "1") + with("note", `"x"`))
	for policy, want := range map[catalog.UndeclaredPolicy]struct {
		outcome model.Outcome
		stored  []string
		named   []string // the fields of the result's parts or errors
	}{
		catalog.KeepUndeclared:   {model.Applied, []string{"debug00", "note", "room", "temperature"}, nil},
		catalog.DropUndeclared:   {model.Applied, []string{"room", "temperature"}, []string{"debug00", "note"}},
		catalog.RejectUndeclared: {model.Rejected, nil, []string{"debug00", "note"}},
	} {
		table := memory.New(clock)
		kind := newKind(t, func(k *catalog.Kind) { k.Undeclared, k.OtherFields = policy, []string{"room"} })
		r := appendBody(t, serviceOn(table, 1), kind, body)
		var stored, named []string
		for _, e := range readEvents(t, table, model.Series{Subject: model.Subject{Type: "DEVICE",
			ID: "sensor_01"}, Kind: kind.Name}) {
			for _, a := range e.Attrs {
				stored = append(stored, a.Name)
			}
		}
		for _, e := range slices.Concat(r.NotStored, r.Errors) {
			if named = append(named, e.Field); e.Code != ingest.CodeUndeclared {
				t.Errorf("%s: %s has code %s", policy, e.Field, e.Code)
			}
		}
		if r.Outcome != want.outcome || !slices.Equal(stored, want.stored) || !slices.Equal(named, want.named) {
			t.Errorf("%s: %s, stored %v, named %v; want %+v", policy, r.Outcome, stored, named, want)
		}
	}
}

// Of too many fields, declared ones are kept whatever role they have.
func TestValidation_KeepsDeclaredFieldsWithinTheQuota(t *testing.T) {
	t.Parallel()
	table := memory.New(clock)
	kind := newKind(t, func(k *catalog.Kind) { k.OtherFields = []string{"zone"} })
	r := appendBody(t, serviceOn(table, 1), kind, reading(members(150, `"x"`)+with("zone", `"north"`)))
	stored := readEvents(t, table, r.Key.Series)[0].Attrs
	if _, ok := stored.Get("zone"); !ok || len(stored) != 100 {
		t.Errorf("%d fields, zone %v; want 100 with the declared one", len(stored), ok)
	}
}

func TestAppend_NamesUndeclaredFieldsAndWhatTheyMayMean(t *testing.T) {
	t.Parallel()
	body := reading(with("temperature", "21") + with("Humidity", "40") + with("temp", "20") + with("hm", "1") +
		with("note", `"x"`))
	want := []model.UndeclaredField{
		{Field: "Humidity", DidYouMean: "humidity"}, {Field: "hm"}, {Field: "note"}, {Field: "temp", DidYouMean: "temperature"},
	}
	kind := newKind(t, func(*catalog.Kind) {})
	if r := appendBody(t, serviceOn(memory.New(clock), 1), kind, body); !slices.Equal(r.Undeclared, want) {
		t.Errorf("got %+v, want %+v", r.Undeclared, want)
	}
	open := newKind(t, func(k *catalog.Kind) { k.Measures = nil })
	if r := appendBody(t, serviceOn(memory.New(clock), 1), open, body); r.Undeclared != nil {
		t.Errorf("a kind that declares nothing names %+v", r.Undeclared)
	}
}
