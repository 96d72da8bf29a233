package lifecycle_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestUnique_ValuesAreHeldOnceByCaseCompoundAndSparse(t *testing.T) {
	for _, c := range []struct {
		what       string
		bob        model.Attrs
		constraint string // "" where there is no conflict
	}{
		{"the same email in other letters", fields("email", "ALICE@ACME.COM"), "email"},
		{"another email", fields("email", "bob@acme.com"), ""},
		{"both names", fields("first", "Alice", "last", "B"), "name"},
		{"both names in other letters", fields("first", "alice", "last", "B"), ""},
		{"one of the names", fields("first", "Alice"), ""},
		{"names that run together alike", fields("first", "Ali", "last", "ceB"), ""},
		{"nothing", nil, ""},
		{"null", fields("email", ""), ""},
	} {
		w := newWorld(t, employee)
		w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
		before := names(w.items())
		out := w.verdict(w.Create(t.Context(), bob, c.bob))
		if want := map[bool]lifecycle.Verdict{true: lifecycle.Created, false: lifecycle.Taken}[c.constraint == ""]; out.Verdict != want || out.Constraint != c.constraint {
			t.Errorf("%s: verdict %s %s, want %s %s", c.what, out.Verdict, out.Constraint, want, c.constraint)
		}
		if c.constraint != "" {
			if diff := cmp.Diff(before, names(w.items())); diff != "" {
				t.Errorf("%s: what is taken was changed (-before +after):\n%s", c.what, diff)
			}
			// By an update it is the same.
			w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), bob, nil)), nil)
			w.want(lifecycle.Taken, w.verdict(w.Update(t.Context(), bob, c.bob, 0)), nil)
		}
		wantSound(w, alice, bob)
	}
}

func TestUnique_AnUpdateMovesTheValue(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("email", "new@acme.com"), 0)), nil)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), bob, fields("email", "alice@acme.com"))), nil)
	w.want(lifecycle.Taken, w.verdict(w.Update(t.Context(), alice, fields("email", "alice@acme.com"), 0)), nil)
	w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), bob, fields("email", ""), 0)), nil)
	w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("email", "alice@acme.com"), 0)), nil)
	wantSound(w, alice, bob)
}

func TestRestore_UnderReserveAlwaysSucceeds(t *testing.T) {
	w := newWorld(t, reserving)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil)
	out := w.want(lifecycle.Taken, w.verdict(w.Create(t.Context(), bob, someone)), nil)
	if out.Constraint != "email" {
		t.Errorf("taken is %s, want email", out.Constraint)
	}
	w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	wantSound(w, alice, bob)
}

func TestRestore_UnderFreeAfterAClaimFailsByNameAndChangesNothing(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), bob, fields("first", "Alice", "last", "B"))), nil)
	before := w.items()
	out := w.want(lifecycle.Taken, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	if out.Constraint != "name" {
		t.Errorf("taken is %q, want name", out.Constraint)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("a restore that failed changed (-before +after):\n%s", diff)
	}
	w.want(lifecycle.Removed, w.verdict(w.Remove(t.Context(), bob, 0)), nil)
	w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	wantSound(w, alice, bob)
}

func TestUnique_OnlyTheOwnerRemovesASentinel(t *testing.T) {
	w := newWorld(t, employee)
	out := w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	// Somebody gave alice's email to bob by hand: no change of hers takes it away.
	foreign := model.Sentinel{Partition: out.Profile.Sentinels[0], Owner: bob, Life: model.Life{7}}
	for what, change := range map[string]func() lifecycle.Outcome{
		"update": func() lifecycle.Outcome {
			return w.verdict(w.Update(t.Context(), alice, fields("email", "b@acme.com"), 0))
		},
		"delete": func() lifecycle.Outcome { return w.verdict(w.Delete(t.Context(), alice, 0)) },
		"remove": func() lifecycle.Outcome { return w.verdict(w.Remove(t.Context(), alice, 0)) },
	} {
		w = newWorld(t, employee)
		w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
		if err := w.table.PutItem(t.Context(), item.FromSentinel(&foreign)); err != nil {
			t.Fatal(err)
		}
		if out := change(); !slices.Contains([]lifecycle.Verdict{lifecycle.Updated, lifecycle.Deleted, lifecycle.Removed}, out.Verdict) {
			t.Errorf("%s: verdict %s", what, out.Verdict)
		}
		if it, err := w.table.GetItem(t.Context(), keys.UniqueIn(foreign.Partition)); err != nil || it == nil {
			t.Errorf("%s took another's sentinel away: %v", what, err)
		}
	}
}
