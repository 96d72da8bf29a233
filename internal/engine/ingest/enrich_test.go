package ingest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The outcome says which condition failed, and the result has the latest item if it was that one.
func TestEnrich_ReturnsTheOutcomeOfItsConditions(t *testing.T) {
	t.Parallel()
	owner := func(name string) model.Attrs {
		return model.Attrs{{Name: "owner", Value: model.TextValue(name)}}
	}
	isAda := model.Condition{{Field: "owner", Op: model.Equal, Value: model.TextValue("ada")}}
	nothing := func(*testing.T, *memory.Table, model.Series) {}
	for name, c := range map[string]struct {
		before func(*testing.T, *memory.Table, model.Series)
		patch  model.Attrs
		where  model.Condition
		want   model.Outcome
		owner  string // afterwards
		latest bool   // of the result
	}{
		"set":             {nothing, owner("bob"), nil, model.Applied, "bob", false},
		"removed":         {nothing, model.Attrs{{Name: "owner"}}, nil, model.Applied, "", false},
		"condition holds": {nothing, owner("bob"), isAda, model.Applied, "bob", false},
		"condition fails": {func(t *testing.T, table *memory.Table, s model.Series) {
			set(t, table, s, "owner", item.Value{Type: item.S, S: "eve"})
		}, owner("bob"), isAda, model.Conflict, "eve", true},
		"latest item locked": {func(t *testing.T, table *memory.Table, s model.Series) {
			set(t, table, s, tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		}, owner("bob"), nil, model.Gone, "ada", true},
		"subject locked": {func(t *testing.T, table *memory.Table, s model.Series) { setPurgeLock(t, table, s.Subject) }, owner("bob"), nil, model.Gone, "ada", false},
		"both fail": {func(t *testing.T, table *memory.Table, s model.Series) {
			set(t, table, s, "owner", item.Value{Type: item.S, S: "eve"})
			setPurgeLock(t, table, s.Subject)
		}, owner("bob"), isAda, model.Gone, "eve", true},
	} {
		kind := newKind(t, func(k *catalog.Kind) { k.Enrichment = []string{"owner"} })
		table := memory.New(clock)
		s := serviceOn(table, 1)
		if got, err := s.Enrich(t.Context(), table, kind, series(kind), owner("ada"), nil); err != nil ||
			got.Outcome != model.Applied {
			t.Fatalf("%s: %s, %v, want the item created", name, got.Outcome, err)
		}
		c.before(t, table, series(kind))
		got, err := s.Enrich(t.Context(), table, kind, series(kind), c.patch, c.where)
		if err != nil || got.Outcome != c.want || (got.Latest != nil) != c.latest {
			t.Errorf("%s: %s with latest item %+v, %v; want %s", name, got.Outcome, got.Latest, err, c.want)
		}
		if v, _ := readLatest(t, table, series(kind)).Attrs.Get("owner"); v.Text != c.owner {
			t.Errorf("%s: afterwards the owner is %q, want %q", name, v.Text, c.owner)
		}
	}
}

// refusingCommits is a table that takes no transaction, and says why.
type refusingCommits struct{ *memory.Table }

func (refusingCommits) Commit(context.Context, itemop.Transaction) (itemop.TransactResult, error) {
	return itemop.TransactResult{Result: storage.Throttled, Cause: errRefused}, nil
}

func TestEnrich_UndecidedIsAnErrorWithItsCause(t *testing.T) {
	t.Parallel()
	kind := newKind(t, func(k *catalog.Kind) { k.Enrichment = []string{"owner"} })
	_, err := serviceOn(nil, 1).Enrich(t.Context(), refusingCommits{}, kind, series(kind),
		model.Attrs{{Name: "owner"}}, nil)
	if !errors.Is(err, model.ErrUndecided) || !errors.Is(err, errRefused) {
		t.Errorf("%v, want it undecided because of %v", err, errRefused)
	}
}

// Sessions are rows of their events' kind: an observation of the sessions themselves is rejected.
func TestAppend_RejectsEventsOfAKindOfSessions(t *testing.T) {
	t.Parallel()
	kind := *newKind(t, keeping)
	kind.Sessions = &catalog.Sessions{Of: "VIEW"}
	got, err := serviceOn(memory.New(clock), 1).AppendEvents(t.Context(), &kind,
		[]ingest.TypedObservation{observation(minute(1), "", num("t", 1))})
	if err != nil || got[0].Outcome != model.Rejected || len(got[0].Errors) == 0 ||
		got[0].Errors[0].Code != ingest.CodeUnknownKind {
		t.Errorf("%+v, %v; want it rejected with %s", got, err, ingest.CodeUnknownKind)
	}
}
