package lifecycle_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestUnique_EachValueHasOneOwner(t *testing.T) {
	for _, c := range []struct {
		what       string
		bob        model.Attrs
		constraint string // "" if there is no conflict
	}{
		{"the same email in another case", fields("email", "ALICE@ACME.COM"), "email"},
		{"another email", fields("email", "bob@acme.com"), ""},
		{"both names", fields("first", "Alice", "last", "B"), "name"},
		{"both names in another case", fields("first", "alice", "last", "B"), ""},
		{"one of the names", fields("first", "Alice"), ""},
		{"names that are equal if joined", fields("first", "Ali", "last", "ceB"), ""},
		{"no fields", nil, ""},
		{"null", fields("email", ""), ""},
	} {
		w := newFixture(t, employee)
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
		before := names(w.items())
		out := w.noError(w.Create(t.Context(), bob, c.bob))
		if want := map[bool]lifecycle.Outcome{true: lifecycle.Created,
			false: lifecycle.Taken}[c.constraint == ""]; out.Outcome != want || out.Constraint != c.constraint {
			t.Errorf("%s: outcome %s %s, want %s %s", c.what, out.Outcome, out.Constraint, want, c.constraint)
		}
		if c.constraint != "" {
			if diff := cmp.Diff(before, names(w.items())); diff != "" {
				t.Errorf("%s: a refused creation changed items (-before +after):\n%s", c.what, diff)
			}
			// An update to the same value is refused too.
			w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), bob, nil)), nil)
			w.wantOutcome(lifecycle.Taken, w.noError(w.Update(t.Context(), bob, c.bob, 0)), nil)
		}
		wantInvariants(w, alice, bob)
	}
}

// A caller of one owner would learn from a refusal that another owner has the value, and could take it first.
func TestUnique_ValuesOfOwnersAreApart(t *testing.T) {
	spec := employee
	spec.Unique = []catalog.Unique{{Name: "email", Fields: []string{"email"}, PerOwner: true}}
	w := newFixture(t, spec)
	email := fields("email", "ceo@victim.example")
	subject := func(id string) model.Subject { return model.Subject{Type: alice.Type, ID: id} }
	for _, c := range []struct {
		id   string
		want lifecycle.Outcome
	}{
		{"beta:1", lifecycle.Created}, {"acme:1", lifecycle.Created}, {"acme:2",
			lifecycle.Taken}, {"beta:x:1", lifecycle.Taken},
		{"acme", lifecycle.Created}, {"beta", lifecycle.Taken}, // ids without an owner have one space
	} {
		if got := w.noError(w.Create(t.Context(), subject(c.id), email)); got.Outcome != c.want {
			t.Errorf("%s: %s, want %s", c.id, got.Outcome, c.want)
		}
	}
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), subject("beta:1"), 0)), nil)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), subject("beta:2"), email)), nil)
}

// A value is unique with its type: the text 1, the number 1 and true are three values.
func TestUnique_ValuesOfDifferentTypesAreDifferent(t *testing.T) {
	values := []model.Value{
		model.TextValue("1"), model.NumberValue(model.NewDecimal(1)), model.BoolValue(true), model.BoolValue(false),
		model.TextValue("b1"),
	}
	for i, a := range values {
		for j, b := range values {
			w := newFixture(t, employee)
			w.wantOutcome(lifecycle.Created,
				w.noError(w.Create(t.Context(), alice, model.Attrs{{Name: "email", Value: a}})), nil)
			want := lifecycle.Created
			if i == j {
				want = lifecycle.Taken
			}
			if out := w.noError(w.Create(t.Context(), bob,
				model.Attrs{{Name: "email", Value: b}})); out.Outcome != want {
				t.Errorf("%v and %v: outcome %s, want %s", a, b, out.Outcome, want)
			}
		}
	}
}

// Stored keys contain the text of a value, so it must never change.
func TestUnique_KeysOfValuesNeverChange(t *testing.T) {
	for text, value := range map[string]model.Value{
		"t1": model.TextValue("1"), "n1": model.NumberValue(model.NewDecimal(1)), "b1": model.BoolValue(true), "b0": model.BoolValue(false),
	} {
		w := newFixture(t, employee)
		w.wantOutcome(lifecycle.Created,
			w.noError(w.Create(t.Context(), alice, model.Attrs{{Name: "email", Value: value}})), nil)
		it, err := w.table.GetItem(t.Context(), tablekeys.UniqueIn(tablekeys.Unique(alice.Type, "email", text).PK))
		if err != nil || it == nil {
			t.Errorf("no sentinel for %v under %s (%v)", value, text, err)
		}
	}
}

func TestUnique_UpdateReleasesTheOldValue(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("email", "new@acme.com"), 0)),
		nil)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), bob, fields("email", "alice@acme.com"))),
		nil)
	w.wantOutcome(lifecycle.Taken, w.noError(w.Update(t.Context(), alice, fields("email", "alice@acme.com"), 0)),
		nil)
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), bob, fields("email", ""), 0)), nil)
	w.wantOutcome(lifecycle.Updated,
		w.noError(w.Update(t.Context(), alice, fields("email", "alice@acme.com"), 0)), nil)
	wantInvariants(w, alice, bob)
}

func TestRestore_AlwaysSucceedsIfValuesAreReserved(t *testing.T) {
	w := newFixture(t, reserving)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	out := w.wantOutcome(lifecycle.Taken, w.noError(w.Create(t.Context(), bob, aliceFields)), nil)
	if out.Constraint != "email" {
		t.Errorf("the taken constraint is %s, want email", out.Constraint)
	}
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	wantInvariants(w, alice, bob)
}

func TestRestore_IsTakenIfAFreedValueWasClaimed(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	w.wantOutcome(lifecycle.Created,
		w.noError(w.Create(t.Context(), bob, fields("first", "Alice", "last", "B"))), nil)
	before := w.items()
	out := w.wantOutcome(lifecycle.Taken, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	if out.Constraint != "name" {
		t.Errorf("the taken constraint is %q, want name", out.Constraint)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("a failed restore changed items (-before +after):\n%s", diff)
	}
	w.wantOutcome(lifecycle.Removed, w.noError(w.Remove(t.Context(), bob, 0)), nil)
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	wantInvariants(w, alice, bob)
}

func TestUnique_OnlyTheOwnerRemovesASentinel(t *testing.T) {
	w := newFixture(t, employee)
	out := w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	// The sentinel of alice's email was edited to bob: no change of alice removes it.
	bobs := storage.Sentinel{Partition: out.Profile.Sentinels[0], Owner: bob, Generation: model.Generation{7}}
	for what, change := range map[string]func() lifecycle.Result{
		"update": func() lifecycle.Result {
			return w.noError(w.Update(t.Context(), alice, fields("email", "b@acme.com"), 0))
		},
		"delete": func() lifecycle.Result { return w.noError(w.Delete(t.Context(), alice, 0)) },
		"remove": func() lifecycle.Result { return w.noError(w.Remove(t.Context(), alice, 0)) },
	} {
		w = newFixture(t, employee)
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
		if err := w.table.PutItem(t.Context(), item.FromSentinel(&bobs)); err != nil {
			t.Fatal(err)
		}
		if out := change(); !slices.Contains(
			[]lifecycle.Outcome{lifecycle.Updated, lifecycle.Deleted, lifecycle.Removed}, out.Outcome) {
			t.Errorf("%s: outcome %s", what, out.Outcome)
		}
		if it, err := w.table.GetItem(t.Context(), tablekeys.UniqueIn(bobs.Partition)); err != nil || it == nil {
			t.Errorf("%s removed the sentinel of another subject: %v", what, err)
		}
	}
}
