package lifecycle_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func newVersion(s model.Subject, n int64, g model.Generation) model.ProfileVersion {
	return model.ProfileVersion{Profile: model.Profile{Subject: s, Version: n, Generation: g,
		Attrs: fields("n", "x")}, Change: model.ProfileUpdated}
}

func (w *fixture) storeVersion(v model.ProfileVersion) {
	w.Helper()
	w.store(item.FromProfileVersion(&v))
}

// A version number that no profile can have names no version, and is not looked for.
func TestVersion_IsFrom1ToTheHighestNumber(t *testing.T) {
	w := newFixture(t, employee)
	for _, n := range []int64{1, tablekeys.MaxVersion} {
		w.storeVersion(newVersion(alice, n, model.Generation{1}))
		if v, err := w.Version(t.Context(), alice, n); err != nil || v == nil || v.Version != n {
			t.Errorf("version %d: %+v, %v", n, v, err)
		}
	}
	w.faulty.Reads = func(c storetest.Call) bool { t.Errorf("%s is sent", c.Method); return false }
	for _, n := range []int64{-1, 0, tablekeys.MaxVersion + 1} {
		if v, err := w.Version(t.Context(), alice, n); err != nil || v != nil {
			t.Errorf("version %d: %+v, %v; want none", n, v, err)
		}
	}
}

// A version that the profile has not reached is a mistake by hand, unless an earlier generation
// left it: then it is removed.
func TestUpdate_AVersionThatExistsAlready(t *testing.T) {
	w := newFixture(t, employee)
	created := w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)),
		nil).Profile
	w.storeVersion(newVersion(alice, 2, created.Generation))
	if out, err := w.Update(t.Context(), alice, fields("last", "C"), 0); err == nil ||
		!strings.Contains(err.Error(), "version 2") || !strings.Contains(err.Error(), "_version") {
		t.Errorf("version 2 of this generation exists: %s, %v; want an error that names it", out.Outcome, err)
	}
	if p, err := w.Get(t.Context(), alice); err != nil || p.Version != 1 {
		t.Errorf("profile %+v, %v; want version 1", p, err)
	}
	w.storeVersion(newVersion(alice, 2, model.Generation{7}))
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("last", "C"), 0)), nil)
	if v, err := w.Version(t.Context(), alice, 2); err != nil || v == nil || v.Generation != created.Generation {
		t.Errorf("version 2 is %+v, %v; want this generation's", v, err)
	}
}

// The versions of a generation that has ended are removed in as few transactions as they need:
// each holds 100 items, of which two are checks.
func TestCleanUpExpired_RemovesVersionsInFullTransactions(t *testing.T) {
	const versions = 2*98 + 1
	w := newFixture(t, employee)
	ended := model.Profile{Subject: alice, Generation: model.Generation{1}}
	for n := range versions {
		w.storeVersion(newVersion(alice, int64(n+1), ended.Generation))
	}
	w.storeVersion(newVersion(alice, versions+1, model.Generation{2}))
	if err := w.CleanUpExpired(t.Context(), &ended); err != nil {
		t.Fatal(err)
	}
	if n := w.faulty.WriteCount(); n != 3 {
		t.Errorf("%d transactions, want 3", n)
	}
	next := tablekeys.Version(alice, versions+1)
	if got := names(w.items()); !slices.Equal(got, []string{next.PK + " " + next.SK}) {
		t.Errorf("%q are left, want only the version of the next generation", got)
	}
}

// A profile keeps its fields in the order of their names, whatever the order in which they are sent.
func TestCreate_AcceptsFieldsInAnyOrder(t *testing.T) {
	text := func(name string) model.Attr { return model.Attr{Name: name, Value: model.TextValue("x")} }
	w := newFixture(t, employee)
	out := w.wantOutcome(lifecycle.Created,
		w.noError(w.Create(t.Context(), alice, model.Attrs{text("team"), text("email"), text("status")})), nil)
	if names := attrNames(out.Profile.Attrs); !slices.IsSorted(names) || len(names) != 3 {
		t.Errorf("fields %q, want them sorted", names)
	}
	_, err := w.Create(t.Context(), bob, model.Attrs{text("team"), text("email"), text("team")})
	if got := code(t, err); got != "duplicate-name" {
		t.Errorf("a field that is sent twice, with another between: code %q, want duplicate-name", got)
	}
	if it, err := w.table.GetItem(context.Background(), keys.Metadata(bob)); it != nil || err != nil {
		t.Errorf("the rejected profile is stored: %v, %v", it, err)
	}
}

func attrNames(attrs model.Attrs) (all []string) {
	for _, a := range attrs {
		all = append(all, a.Name)
	}
	return all
}
