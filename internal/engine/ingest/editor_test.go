package ingest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// losing is a table whose first transaction fails: its response is lost, after it was stored
// if stored is true.
type losing struct {
	*memory.Table
	stored, done bool
}

func (l *losing) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if l.done {
		return l.Table.Append(ctx, tx)
	}
	if l.done = true; l.stored {
		if _, err := l.Table.Append(ctx, tx); err != nil {
			return storage.StoreResult{}, err
		}
	}
	return storage.StoreResult{Result: storage.Unknown}, nil
}

func (l *losing) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	if l.done {
		return l.Table.Commit(ctx, tx)
	}
	if l.done = true; l.stored {
		if _, err := l.Table.Commit(ctx, tx); err != nil {
			return itemop.TransactResult{}, err
		}
	}
	return itemop.TransactResult{Result: storage.Unknown}, nil
}

func TestEditor_ALostResponseDoesNotChangeTheOutcome(t *testing.T) {
	now := model.NewTime(time.Date(2026, 11, 1, 15, 0, 0, 0, time.UTC))
	clock := func() model.Time { return now }
	kinds, err := catalog.New(iot.Readings)
	if err != nil {
		t.Fatal(err)
	}
	kind := &kinds.Kinds[0]
	reading := func(temperature int64) ingest.TypedObservation {
		return ingest.TypedObservation{Subject: "sensor_01", At: now - 1000,
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(temperature))}}}
	}
	for _, stored := range []bool{false, true} {
		m := memory.New(clock)
		service := &ingest.Service{Store: m, Limits: config.Default().Limits, Now: clock, Rand: rand.Reader,
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
		appended, err := service.AppendEvents(t.Context(), kind, []ingest.TypedObservation{reading(224)})
		if err != nil {
			t.Fatal(err)
		}
		key := appended[0].Key
		before, err := storage.Event(t.Context(), m, key)
		if err != nil || before == nil {
			t.Fatal(before, err)
		}
		editor := ingest.Editor{Service: service, Store: &losing{Table: m, stored: stored}}
		got, err := editor.Correct(t.Context(), kind, reading(22), &before.Hash)
		if err != nil || got.Outcome != ingest.Corrected || got.Event.Hash == before.Hash {
			t.Errorf("stored %t: correct: %+v, %v", stored, got, err)
		}
		editor.Store = &losing{Table: m, stored: stored}
		if got, err = editor.Delete(t.Context(), kind, key, &got.Event.Hash); err != nil ||
			got.Outcome != ingest.Deleted {
			t.Errorf("stored %t: delete: %+v, %v", stored, got, err)
		}
		if after, err := storage.Event(t.Context(), m, key); after != nil || err != nil {
			t.Errorf("stored %t: %+v, %v after the deletion", stored, after, err)
		}
	}
}

// A patch keeps the other fields, and removes those that are null.
func TestEditor_PatchKeepsOtherFields(t *testing.T) {
	now := model.NewTime(time.Date(2026, 11, 1, 15, 0, 0, 0, time.UTC))
	clock := func() model.Time { return now }
	kinds, err := catalog.New(iot.Readings)
	if err != nil {
		t.Fatal(err)
	}
	m := memory.New(clock)
	service := &ingest.Service{Store: m, Limits: config.Default().Limits, Now: clock, Rand: rand.Reader}
	text := func(name, value string) model.Attr { return model.Attr{Name: name, Value: model.TextValue(value)} }
	appended, err := service.AppendEvents(t.Context(), &kinds.Kinds[0], []ingest.TypedObservation{{
		Subject: "sensor_01", At: now, Attrs: model.Attrs{text("note", "old"), text("place", "hall"), text("wrong", "x")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	editor := ingest.Editor{Service: service, Store: m}
	got, err := editor.Patch(t.Context(), &kinds.Kinds[0], appended[0].Key,
		model.Attrs{text("note", "new"), {Name: "wrong"}}, nil)
	if err != nil || got.Outcome != ingest.Corrected {
		t.Fatalf("%+v, %v", got, err)
	}
	note, _ := got.Event.Attrs.Get("note")
	place, _ := got.Event.Attrs.Get("place")
	if note.Text != "new" || place.Text != "hall" || len(got.Event.Attrs) != 2 {
		t.Errorf("got %v, want note new and place hall", got.Event.Attrs)
	}
	var invalid model.FieldErrors
	if _, err := editor.Patch(t.Context(), &kinds.Kinds[0], appended[0].Key,
		model.Attrs{{Name: "temperature", Value: model.BoolValue(true)}}, nil); !errors.As(err, &invalid) {
		t.Errorf("a boolean measure: %v, want field errors", err)
	}
}
