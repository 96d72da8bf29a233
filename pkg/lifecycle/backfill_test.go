package lifecycle_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// undeclared are the profiles of employees before their indexes and constraints were declared.
var undeclared = catalog.Profile{Versions: employee.Versions, DeletedFor: employee.DeletedFor}

// employees returns a fixture with n profiles that were created under undeclared; the type is now
// declared as employee.
func employees(t *testing.T, n int) *fixture {
	w := newFixture(t, undeclared)
	for i := range n {
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), subject(fmt.Sprint("e", i)),
			fields("email", fmt.Sprintf("%d@acme.com", i), "status", "active"))), nil)
	}
	w.spec = employee
	return w
}

// backfilled runs a backfill and returns the outcome of each subject.
func (w *fixture) backfilled(after string) map[string]lifecycle.Outcome {
	w.Helper()
	outcomes := map[string]lifecycle.Outcome{}
	err := w.Backfill(w.Context(), "EMPLOYEE", after, func(s model.Subject, r lifecycle.Result) error {
		if _, twice := outcomes[s.ID]; twice {
			w.Errorf("%s comes twice", s)
		}
		outcomes[s.ID] = r.Outcome
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return outcomes
}

func (w *fixture) listed(field, value string) (ids []string) {
	w.Helper()
	page, err := w.ListByField(w.Context(), "EMPLOYEE", field, value, lifecycle.Cursor{}, 0)
	if err != nil {
		w.Fatal(err)
	}
	for _, p := range page.Profiles {
		ids = append(ids, p.Subject.ID)
	}
	return ids
}

func TestBackfill_AddsProfilesToIndexesAndConstraintsDeclaredLater(t *testing.T) {
	w := employees(t, 20)
	if found := w.listed("status", "active"); len(found) != 0 {
		t.Fatalf("before the backfill, the index finds %v", found)
	}
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), subject("e7"), 0)), nil)
	for id, outcome := range w.backfilled("") {
		if outcome != lifecycle.Updated {
			t.Errorf("%s: %s, want updated", id, outcome)
		}
	}
	if found := w.listed("status", "active"); len(found) != 19 || slices.Contains(found, "e7") {
		t.Errorf("the index finds %d profiles, want the 19 that are not deleted: %v", len(found), found)
	}
	w.wantOutcome(lifecycle.Taken, w.noError(w.Create(t.Context(), alice, fields("email", "3@ACME.com"))), nil)
	p, err := w.Get(t.Context(), subject("e3"))
	if err != nil || p.Version != 2 {
		t.Errorf("the profile has version %+v, %v; want 2", p, err)
	}
	wantInvariants(w, subject("e3"), subject("e7"))

	before := w.faulty.WriteCount()
	for id, outcome := range w.backfilled("") {
		if outcome != lifecycle.Unchanged {
			t.Errorf("again, %s: %s, want unchanged", id, outcome)
		}
	}
	if wrote := w.faulty.WriteCount() - before; wrote != 0 {
		t.Errorf("a second backfill wrote %d times", wrote)
	}
}

// Later updates work: before, an unrelated update of a profile that another has the value of was taken.
func TestBackfill_ReportsValuesThatTwoProfilesHave(t *testing.T) {
	w := newFixture(t, undeclared)
	for _, s := range []model.Subject{alice, bob} {
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), s, fields("email", "same@acme.com"))), nil)
	}
	w.spec = employee
	outcomes := w.backfilled("")
	taken := alice
	if outcomes["bob"] == lifecycle.Taken {
		taken = bob
	}
	if outcomes[taken.ID] != lifecycle.Taken || len(outcomes) != 2 {
		t.Fatalf("outcomes %v, want one updated and one taken", outcomes)
	}
	if p, err := w.Get(t.Context(), taken); err != nil || p.Version != 1 {
		t.Errorf("the profile without the value: %+v, %v; want version 1", p, err)
	}
	w.wantOutcome(lifecycle.Updated,
		w.noError(w.Update(t.Context(), taken, fields("email", "other@acme.com"), 0)), nil)
	if again := w.backfilled(""); again[taken.ID] != lifecycle.Unchanged {
		t.Errorf("after its correction: %v", again)
	}
	wantInvariants(w, alice, bob)
}

func TestBackfill_ResumesAfterASubject(t *testing.T) {
	stop := errors.New("stopped")
	for n := range 13 {
		w := employees(t, 12)
		last, seen := "", map[string]lifecycle.Outcome{}
		err := w.Backfill(t.Context(), "EMPLOYEE", "", func(s model.Subject, r lifecycle.Result) error {
			if len(seen) == n {
				return stop
			}
			last, seen[s.ID] = s.ID, r.Outcome
			return nil
		})
		if n < 12 && !errors.Is(err, stop) {
			t.Fatalf("stopped at %d: %v", n, err)
		}
		for id := range w.backfilled(last) {
			if _, twice := seen[id]; twice {
				t.Errorf("stopped at %d: %s comes again", n, id)
			}
			seen[id] = lifecycle.Updated
		}
		if found := w.listed("status", "active"); len(seen) != 12 || len(found) != 12 {
			t.Errorf("stopped at %d: %d subjects, %d in the index; want 12", n, len(seen), len(found))
		}
	}
}

func TestBackfill_FaultsOfRequestsChangeNothing(t *testing.T) {
	for _, fault := range storetest.WriteFaults() {
		for n := range 4 {
			w := employees(t, 3)
			first := w.faulty.WriteCount()
			w.faulty.Writes = storetest.FailOnce(first+n, fault)
			w.backfilled("")
			w.faulty.CompleteDelayed()
			if found := w.listed("status", "active"); len(found) != 3 {
				t.Errorf("%s of write %d: the index finds %v", fault, n, found)
			}
			for _, id := range []string{"e0", "e1", "e2"} {
				if p, err := w.Get(t.Context(), subject(id)); err != nil || p.Version != 2 {
					t.Errorf("%s of write %d: %s has version %d, %v; want 2", fault, n, id, p.Version, err)
				}
			}
			wantInvariants(w, subject("e0"), subject("e1"), subject("e2"))
		}
	}
	w := employees(t, 3)
	w.faulty.Reads = func(c storetest.Call) bool { return c.Method == "List" }
	if err := w.Backfill(t.Context(), "EMPLOYEE", "", nil); !errors.Is(err, storetest.ErrRead) {
		t.Errorf("a list that fails: %v, want %v", err, storetest.ErrRead)
	}
}

// A profile may change between the read of a backfill and its write.
func TestBackfill_KeepsAChangeOfTheSameMoment(t *testing.T) {
	w := employees(t, 1)
	e0, changed := subject("e0"), false
	other := serviceOn(w.table, w.now, func(string) catalog.Profile { return undeclared })
	w.faulty.Writes = func(storetest.Call) storetest.WriteFault {
		if !changed {
			changed = true
			w.wantOutcome(lifecycle.Updated,
				w.noError(other.Update(t.Context(), e0, fields("email", "new@acme.com"), 0)), nil)
		}
		return storetest.NoFault
	}
	if got := w.backfilled(""); got["e0"] != lifecycle.Updated {
		t.Errorf("outcomes %v", got)
	}
	wantInvariants(w, e0)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, fields("email", "0@acme.com"))), nil)
	w.wantOutcome(lifecycle.Taken, w.noError(w.Create(t.Context(), bob, fields("email", "new@acme.com"))), nil)
}

// A profile that the later declaration does not allow stops the backfill: its error names it.
func TestBackfill_AnInvalidProfileIsAnError(t *testing.T) {
	w := newFixture(t, undeclared)
	number := model.Attrs{{Name: "status", Value: model.NumberValue(model.NewDecimal(1))}}
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, number)), nil)
	w.spec = employee
	w.spec.Unique = nil
	err := w.Backfill(t.Context(), "EMPLOYEE", "", func(_ model.Subject, r lifecycle.Result) error {
		return errors.New(string(r.Outcome))
	})
	if err == nil || err.Error() != "backfill EMPLOYEE: unchanged" {
		t.Errorf("a field that cannot be indexed: %v; want that the profile stays outside of the index", err)
	}
	w.spec.Unique = []catalog.Unique{{Name: "u", Fields: []string{"status"}}}
	var wrong model.FieldErrors
	if err := w.Backfill(t.Context(), "EMPLOYEE", "", nil); !errors.As(err, &wrong) ||
		wrong[0].Field != "status" {
		t.Errorf("a field that cannot be indexed: %v, want its error", err)
	}
}

// The list of an earlier release has no names: a backfill adds them, and changes no other profile.
func TestBackfill_NamesProfilesInTheList(t *testing.T) {
	w := newFixture(t, employee)
	named, other := subject("named"), subject("other")
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), named, fields("name", "Ann"))), nil)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), other, fields("team", "red"))), nil)
	it := item.FromListedSeries(storage.ListedSeries{Series: model.Series{Subject: named}})
	if _, err := w.table.PutAll(t.Context(), []itemop.Put{{Item: it}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]lifecycle.Outcome{"named": lifecycle.Updated, "other": lifecycle.Unchanged}
	if got := w.backfilled(""); !maps.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	wantInvariants(w, named, other)
}
