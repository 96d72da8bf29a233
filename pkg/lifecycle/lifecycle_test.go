package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var someone = fields("email", "Alice@acme.com", "first", "Alice", "last", "B", "status", "active", "team", "red")

func TestLife_CreatedUpdatedDeletedRestoredAreVersionsOneToFour(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	w.advance(time.Minute)
	w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("first", "Alicia", "team", ""), 1)), nil)
	w.advance(time.Minute)
	w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 2)), nil)
	w.advance(time.Minute)
	out := w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 3)), nil)
	want := fields("email", "Alice@acme.com", "first", "Alicia", "last", "B", "status", "active")
	if diff := cmp.Diff(want, out.Profile.Attrs, sameDecimal); diff != "" || out.Profile.Version != 4 || out.Profile.DeletedAt != 0 || out.Profile.ExpiresAt != 0 {
		t.Errorf("restored as version %d, deleted %v (-want +got):\n%s", out.Profile.Version, out.Profile.DeletedAt, diff)
	}
	page, next, err := w.Versions(t.Context(), alice, 0, 10)
	if err != nil || next != 0 {
		t.Fatal(err, next)
	}
	var got []string
	for _, v := range page {
		got = append(got, fmt.Sprintf("v%d %s %d fields", v.Version, v.Change, len(v.Attrs)))
	}
	if want := []string{"v4 restored 4 fields", "v3 deleted 4 fields", "v2 updated 4 fields", "v1 created 5 fields"}; !slices.Equal(got, want) {
		t.Errorf("versions %q, want %q", got, want)
	}
	if v, err := w.Version(t.Context(), alice, 1); err != nil || v == nil || v.Attrs[1].Value.Text != "Alice" {
		t.Errorf("version 1 is %+v, %v; want the first name as it was", v, err)
	}
	if v, err := w.Version(t.Context(), alice, 5); err != nil || v != nil {
		t.Errorf("version 5 is %+v, %v; want none", v, err)
	}
}

var sameDecimal = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

func TestIndexes_AreThoseOfTheTable(t *testing.T) {
	if catalog.FirstIndex != keys.IndexGSI1 || catalog.SecondIndex != keys.IndexGSI2 {
		t.Errorf("the catalog calls the indexes %s and %s, the table %s and %s", catalog.FirstIndex, catalog.SecondIndex, keys.IndexGSI1, keys.IndexGSI2)
	}
}

func TestVersions_ComeInPagesNewestFirst(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, nil)), nil)
	for i := range 11 {
		w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("n", fmt.Sprint(i)), 0)), nil)
	}
	var got []int64
	for before, pages := int64(0), 0; pages == 0 || before != 0; pages++ {
		page, next, err := w.Versions(t.Context(), alice, before, 5)
		if err != nil || len(page) > 5 || pages > 5 {
			t.Fatalf("page %d of %d versions: %v", pages, len(page), err)
		}
		for _, v := range page {
			got = append(got, v.Version)
		}
		before = next
	}
	if want := []int64{12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("versions %v, want %v", got, want)
	}
}

func TestDelete_TakesTheProfileOutOfSightAndOutOfItsIndexes(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	found := func() (n int) {
		for _, by := range [][2]string{{"status", "active"}, {"team", "red"}} {
			for c, first := (lifecycle.Cursor{}), true; first || c != (lifecycle.Cursor{}); first = false {
				page, err := w.ByField(t.Context(), alice.Type, by[0], by[1], c, 10)
				if err != nil {
					t.Fatal(err)
				}
				n, c = n+len(page.Profiles), page.Next
			}
		}
		return n
	}
	if n := found(); n != 2 {
		t.Fatalf("found by %d of 2 indexes", n)
	}
	w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil)
	p, err := w.Get(t.Context(), alice)
	if p != nil || err != nil || found() != 0 {
		t.Errorf("deleted, and still %+v, %v, found by %d indexes", p, err, found())
	}
	d, err := w.Deleted(t.Context(), alice)
	if err != nil || d == nil || d.DeletedAt != noon || d.ExpiresAt != noon.Add(employee.DeletedFor).Seconds() {
		t.Errorf("tombstone %+v, %v; want it deleted now and kept 30 days", d, err)
	}
	listed, err := w.ListDeleted(t.Context(), alice.Type, lifecycle.Cursor{}, 10)
	if err != nil || len(listed.Profiles) != 1 || listed.Profiles[0].Subject != alice {
		t.Errorf("listed %+v, %v", listed, err)
	}
	w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	if n := found(); n != 2 {
		t.Errorf("restored, and found by %d of 2 indexes", n)
	}
}

func TestByField_ReadsEveryShardAndKnowsItsIndexes(t *testing.T) {
	w := newWorld(t, employee)
	want := map[string]bool{}
	for i := range 30 {
		s := subject(fmt.Sprint("s", i))
		want[s.ID] = true
		w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), s, fields("team", "red"))), nil)
	}
	pages := 0
	for c := (lifecycle.Cursor{}); ; pages++ {
		page, err := w.ByField(t.Context(), "EMPLOYEE", "team", "red", c, 4)
		if err != nil || len(page.Profiles) > 4 {
			t.Fatal(len(page.Profiles), err)
		}
		for _, p := range page.Profiles {
			if !want[p.Subject.ID] {
				t.Errorf("%s is found twice", p.Subject)
			}
			delete(want, p.Subject.ID)
		}
		if c = page.Next; c == (lifecycle.Cursor{}) {
			break
		}
	}
	if len(want) != 0 || pages < 7 {
		t.Errorf("%d of 30 not found, %d pages", len(want), pages)
	}
	if _, err := w.ByField(t.Context(), "EMPLOYEE", "last", "B", lifecycle.Cursor{}, 4); !errors.Is(err, lifecycle.ErrNoIndex) {
		t.Errorf("by a field without index: %v, want ErrNoIndex", err)
	}
}

func TestUpdate_NamesItsFieldsAndLeavesTheRest(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	enriched := item.Item{
		keys.AttrPK: {Type: item.S, S: keys.Metadata(alice).PK}, keys.AttrSK: {Type: item.S, S: keys.Metadata(alice).SK},
		"score": {Type: item.N, S: "7"},
	}
	if err := w.table.UpdateItem(t.Context(), enriched); err != nil {
		t.Fatal(err)
	}
	w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("status", "away", "team", ""), 0)), nil)
	it, err := w.table.GetItem(t.Context(), keys.Metadata(alice))
	if err != nil {
		t.Fatal(err)
	}
	if it["score"].S != "7" || it["first"].S != "Alice" || it["status"].S != "away" {
		t.Errorf("the profile is %v", it)
	}
	if _, there := it["team"]; there || it.IndexKey(keys.IndexGSI2) != (keys.Key{}) {
		t.Errorf("the removed field is still there, or still indexed: %v", it)
	}
	if got, want := it.IndexKey(keys.IndexGSI1), keys.ByField(alice, "status", "away", 0); got != want {
		t.Errorf("indexed under %v, want %v", got, want)
	}
	out := w.want(lifecycle.Unchanged, w.verdict(w.Update(t.Context(), alice, fields("status", "away", "none", ""), 0)), nil)
	if out.Profile.Version != 2 {
		t.Errorf("a patch that changes nothing made version %d", out.Profile.Version)
	}
}

func TestUpdate_TakesOverAProfileThatAnotherProgramMade(t *testing.T) {
	w := newWorld(t, employee)
	byHand := model.Profile{Subject: alice, Attrs: fields("email", "a@x", "status", "active")}
	if err := w.table.PutItem(t.Context(), item.FromProfile(&byHand)); err != nil {
		t.Fatal(err)
	}
	w.want(lifecycle.Exists, w.verdict(w.Create(t.Context(), alice, nil)), nil)
	out := w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("last", "B"), 0)), nil)
	if out.Profile.Version != 1 || len(out.Profile.Sentinels) != 1 || out.Profile.Life == (model.Life{}) {
		t.Errorf("taken over as %+v; want version 1, a life, and its email held", out.Profile)
	}
	w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 1)), nil)
	w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	wantSound(w, alice, bob)
}

func TestLife_EachStateAnswersEachChangeByName(t *testing.T) {
	ctx := t.Context()
	states := []struct {
		name string
		make func(*world)
		// verdicts of create, update, stale update, delete, stale delete, restore, stale restore, remove
		want string
	}{
		{"none", func(*world) {}, "created not-found not-found not-found not-found not-found not-found not-found"},
		{"standing", func(w *world) { w.verdict(w.Create(ctx, alice, someone)) },
			"exists updated conflict deleted conflict exists exists removed"},
		{"deleted", func(w *world) { w.verdict(w.Create(ctx, alice, someone)); w.verdict(w.Delete(ctx, alice, 0)) },
			"in-bin in-bin in-bin in-bin in-bin restored conflict removed"},
		{"deleted and expired", func(w *world) {
			w.verdict(w.Create(ctx, alice, someone))
			w.verdict(w.Delete(ctx, alice, 0))
			w.advance(employee.DeletedFor)
		}, "created not-found not-found not-found not-found not-found not-found removed"},
		{"removed", func(w *world) { w.verdict(w.Create(ctx, alice, someone)); w.verdict(w.Remove(ctx, alice, 0)) },
			"created not-found not-found not-found not-found not-found not-found not-found"},
		{"being purged", func(w *world) {
			w.verdict(w.Create(ctx, alice, someone))
			gate := model.Gate{Subject: alice, Since: noon, PurgeID: "1"}
			if err := w.table.PutItem(ctx, item.FromGate(&gate)); err != nil {
				w.Fatal(err)
			}
		}, "exists gone conflict gone conflict exists exists gone"},
		{"purged", func(w *world) {
			gate := model.Gate{Subject: alice, Since: noon, PurgeID: "1"}
			if err := w.table.PutItem(ctx, item.FromGate(&gate)); err != nil {
				w.Fatal(err)
			}
		}, "gone not-found not-found not-found not-found not-found not-found not-found"},
	}
	changes := []func(w *world) (lifecycle.Outcome, error){
		func(w *world) (lifecycle.Outcome, error) { return w.Create(ctx, alice, fields("email", "other@x")) },
		func(w *world) (lifecycle.Outcome, error) { return w.Update(ctx, alice, fields("last", "C"), 0) },
		func(w *world) (lifecycle.Outcome, error) { return w.Update(ctx, alice, fields("last", "C"), 9) },
		func(w *world) (lifecycle.Outcome, error) { return w.Delete(ctx, alice, 0) },
		func(w *world) (lifecycle.Outcome, error) { return w.Delete(ctx, alice, 9) },
		func(w *world) (lifecycle.Outcome, error) { return w.Restore(ctx, alice, 0) },
		func(w *world) (lifecycle.Outcome, error) { return w.Restore(ctx, alice, 9) },
		func(w *world) (lifecycle.Outcome, error) { return w.Remove(ctx, alice, 0) },
	}
	for _, s := range states {
		var got []string
		for _, change := range changes {
			w := newWorld(t, employee)
			s.make(w)
			got = append(got, string(w.verdict(change(w)).Verdict))
			wantSound(w, alice, bob)
		}
		if strings.Join(got, " ") != s.want {
			t.Errorf("%s answers\n %s, want\n %s", s.name, strings.Join(got, " "), s.want)
		}
	}
}
