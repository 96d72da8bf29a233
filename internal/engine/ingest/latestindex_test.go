package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// byState indexes latest items by state, sorted by room.
func byState(half catalog.HalfPolicy) func(*catalog.Kind) {
	return func(k *catalog.Kind) {
		k.LatestBy = []catalog.LatestIndex{{By: []string{"state"}, Sort: []string{"room"}, Half: half}}
	}
}

func text(name, value string) model.Attr {
	return model.Attr{Name: name, Value: model.TextValue(value)}
}

// readEntry returns the index key of sensor_01's latest item.
func readEntry(t failer, table *memory.Table) keys.Key {
	it, err := table.GetItem(context.Background(),
		keys.Latest(model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}))
	if err != nil {
		t.Fatalf("read the latest item: %v", err)
	}
	return it.IndexKey(keys.IndexGSI1)
}

type failer interface{ Fatalf(string, ...any) }

func TestAppend_PartialIndexFieldsFollowThePolicy(t *testing.T) {
	t.Parallel()
	complete := []model.Attr{text("state", "open"), text("room", "hall")}
	entry := keys.Key{PK: "CURRENT#READING#open", SK: "hall#sensor_01#"}
	for _, c := range []struct {
		name   string
		half   catalog.HalfPolicy
		second []model.Attr // fields of the second append
		want   keys.Key
	}{
		{"none of it, sparse", catalog.HalfSparse, nil, entry},
		{"none of it, preserve", catalog.HalfPreserve, nil, entry},
		{"half of it, sparse", catalog.HalfSparse, []model.Attr{text("state", "shut")}, keys.Key{}},
		{"half of it, preserve", catalog.HalfPreserve, []model.Attr{text("state", "shut")}, entry},
		{"the other half, sparse", catalog.HalfSparse, []model.Attr{text("room", "attic")}, keys.Key{}},
		{"all of it, sparse", catalog.HalfSparse, []model.Attr{text("state", "shut"), text("room", "attic")}, keys.Key{PK: "CURRENT#READING#shut", SK: "attic#sensor_01#"}},
		{"all of it, preserve", catalog.HalfPreserve, []model.Attr{text("state", "shut"), text("room", "attic")}, keys.Key{PK: "CURRENT#READING#shut", SK: "attic#sensor_01#"}},
	} {
		table := memory.New(clock)
		service, kind := serviceOn(table, 1), newKind(t, byState(c.half))
		for i, fields := range [][]model.Attr{complete, c.second} {
			results, err := service.AppendEvents(context.Background(), kind,
				[]ingest.TypedObservation{observation(minute(i), "", fields...)})
			if err != nil || results[0].Outcome != model.Applied {
				t.Fatalf("%s: %v, %v", c.name, results[0].Outcome, err)
			}
		}
		if got := readEntry(t, table); got != c.want {
			t.Errorf("%s: entry %v, want %v", c.name, got, c.want)
		}
	}
}

// The index entry after a batch equals that after appending one by one, and that after the
// caller's own transactions.
func TestAppend_IndexEntryAfterABatchEqualsOneByOne(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		half := rapid.SampledFrom([]catalog.HalfPolicy{catalog.HalfSparse, catalog.HalfPreserve}).Draw(r, "half")
		kind := newKind(t, byState(half))
		var observations []ingest.TypedObservation
		for range rapid.IntRange(1, 8).Draw(r, "events") {
			var fields []model.Attr
			for _, name := range []string{"state", "room"} {
				if rapid.Bool().Draw(r, name) {
					fields = append(fields, text(name, rapid.SampledFrom([]string{"a", "b", "#"}).Draw(r, "value")))
				}
			}
			observations = append(observations,
				observation(minute(rapid.IntRange(0, 9).Draw(r, "minute")), fmt.Sprint(len(observations)), fields...))
		}
		batch := memory.New(clock)
		single := memory.New(clock)
		composed := memory.New(clock)
		one, part := serviceOn(single, 1), serviceOn(nil, 1)
		if _, err := serviceOn(batch, 1).AppendEvents(context.Background(), kind, observations); err != nil {
			r.Fatalf("batch: %v", err)
		}
		for _, d := range observations {
			if _, err := one.AppendEvents(context.Background(), kind, []ingest.TypedObservation{d}); err != nil {
				r.Fatalf("one by one: %v", err)
			}
			tx, wrong, err := part.Compose(t.Context(), kind, d, nil)
			if err != nil || wrong != nil {
				r.Fatalf("compose: %v, %v", wrong, err)
			}
			if _, err := composed.Append(context.Background(), tx); err != nil {
				r.Fatalf("composed: %v", err)
			}
		}
		want := readEntry(r, single)
		if got, other := readEntry(r, batch), readEntry(r, composed); got != want || other != want {
			r.Fatalf("index entry after a batch %v, composed %v, one by one %v", got, other, want)
		}
	})
}

func TestAppend_IndexEntryTooLongForItsKeyIsRejected(t *testing.T) {
	t.Parallel()
	kind := newKind(t, byState(catalog.HalfSparse))
	d := observation(minute(0), "", text("state", "open"), text("room", strings.Repeat("x", 1200)))
	results, err := serviceOn(memory.New(clock), 1).AppendEvents(context.Background(), kind,
		[]ingest.TypedObservation{d})
	if err != nil || results[0].Outcome != model.Rejected || results[0].Errors[0].Code != ingest.CodeKeyTooLong {
		t.Fatalf("got %v %v, %v; want it rejected with code %s", results[0].Outcome, results[0].Errors, err,
			ingest.CodeKeyTooLong)
	}
	if message := results[0].Errors[0].Message; !strings.Contains(message,
		"the latest items of READING in "+keys.IndexGSI1+" ") {
		t.Errorf("message %q, want the kind and the index", message)
	}
}

// An enrichment changes the index entry of its fields, unless the key would be too long.
func TestEnrich_IndexEntryFollowsTheField(t *testing.T) {
	t.Parallel()
	kind := newKind(t, func(k *catalog.Kind) {
		k.Enrichment = []string{"owner"}
		k.LatestBy = []catalog.LatestIndex{{By: []string{"owner"}}}
	})
	m := memory.New(clock)
	s := serviceOn(m, 1)
	ada := keys.Key{PK: "CURRENT#READING#ada", SK: "sensor_01#"}
	for _, c := range []struct {
		owner model.Value
		code  string
		want  keys.Key
	}{
		{model.TextValue("ada"), "", ada},
		{model.TextValue(strings.Repeat("x", 2100)), ingest.CodeKeyTooLong, ada},
		{model.Value{}, "", keys.Key{}},
	} {
		got, err := s.Enrich(t.Context(), m, kind, series(kind), model.Attrs{{Name: "owner", Value: c.owner}}, nil)
		var wrong model.FieldErrors
		if errors.As(err, &wrong); c.code != "" && (len(wrong) != 1 || wrong[0].Code != c.code) ||
			c.code == "" && (err != nil || got.Outcome != model.Applied) {
			t.Errorf("owner %.9v: %s, %v; want code %q", c.owner, got.Outcome, err, c.code)
		}
		if entry := readEntry(t, m); entry != c.want {
			t.Errorf("owner %.9v: entry %v, want %v", c.owner, entry, c.want)
		}
	}
}
