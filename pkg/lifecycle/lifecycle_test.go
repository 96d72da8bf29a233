package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/item"
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

func TestVersions_ExpireByTheirRetentionAndTheProfileNever(t *testing.T) {
	spec := employee
	spec.Versions.For = 90 * 24 * time.Hour
	w := newWorld(t, spec)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	w.advance(spec.Versions.For + time.Second)
	if page, _, err := w.Versions(t.Context(), alice, 0, 10); err != nil || len(page) != 0 {
		t.Errorf("%d versions are shown after their time, %v", len(page), err)
	}
	if v, err := w.Version(t.Context(), alice, 1); err != nil || v != nil {
		t.Errorf("an expired version is shown: %v", err)
	}
	w.expire()
	if p, err := w.Get(t.Context(), alice); err != nil || p == nil || p.ExpiresAt != 0 {
		t.Errorf("the profile is %+v, %v; want it there for good", p, err)
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

func TestExpiry_OfATombstoneTakesVersionsAndValuesAlong(t *testing.T) {
	for _, spec := range []catalog.Profile{employee, reserving} {
		w := newWorld(t, spec)
		w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
		w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("last", "C"), 0)), nil)
		w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil)
		w.advance(spec.DeletedFor - time.Second)
		if d, err := w.Deleted(t.Context(), alice); err != nil || d == nil {
			t.Errorf("a second before its time the tombstone is gone: %v", err)
		}
		w.advance(time.Second)
		d, err := w.Deleted(t.Context(), alice)
		listed, listErr := w.ListDeleted(t.Context(), alice.Type, lifecycle.Cursor{}, 10)
		if err != nil || listErr != nil || d != nil || len(listed.Profiles) != 0 {
			t.Errorf("an expired tombstone is shown: %v, listed %d", d, len(listed.Profiles))
		}
		w.want(lifecycle.NotFound, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
		w.expire()
		if left := names(w.items()); len(left) != 0 {
			t.Errorf("%s: after the expiry there is still %q", spec.Release, left)
		}
	}
}

// The record of an expiry may come late, when the subject has a new life already.
func TestExpiry_OfAnEarlierLifeLeavesTheNextAlone(t *testing.T) {
	for _, spec := range []catalog.Profile{employee, reserving} {
		w := newWorld(t, spec)
		w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
		w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("last", "C"), 0)), nil)
		dead := w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil).Profile
		w.advance(spec.DeletedFor)
		w.table.Expire(w.now()) // the tombstone has gone, what it leaves has not
		next := w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil).Profile
		wantSound(w, alice, bob)
		before := slices.DeleteFunc(w.items(), func(it item.Item) bool { return string(it[keys.AttrLife].B) != string(next.Life[:]) })
		for range 2 {
			if err := w.Expired(t.Context(), dead); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, w.items()); diff != "" {
			t.Errorf("%s: the late record of an earlier life changed (-before +after):\n%s", spec.Release, diff)
		}
		if page, _, err := w.Versions(t.Context(), alice, 0, 10); err != nil || len(page) != 1 {
			t.Errorf("the new life has %d versions, %v; want its own, 1", len(page), err)
		}
	}
}

func TestExpiry_OfALifeThatGoesOnIsNone(t *testing.T) {
	w := newWorld(t, employee)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	dead := w.want(lifecycle.Deleted, w.verdict(w.Delete(t.Context(), alice, 0)), nil).Profile
	w.want(lifecycle.Restored, w.verdict(w.Restore(t.Context(), alice, 0)), nil)
	before := w.items()
	if err := w.Expired(t.Context(), dead); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestRemove_LeavesNothingOfTheProfileHoweverManyVersions(t *testing.T) {
	w := newWorld(t, reserving)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, someone)), nil)
	for i := range 230 {
		w.want(lifecycle.Updated, w.verdict(w.Update(t.Context(), alice, fields("n", fmt.Sprint(i)), 0)), nil)
	}
	w.want(lifecycle.Removed, w.verdict(w.Remove(t.Context(), alice, 0)), nil)
	if left := names(w.items()); len(left) != 0 {
		t.Errorf("there is still %q", left)
	}
	w.want(lifecycle.NotFound, w.verdict(w.Remove(t.Context(), alice, 0)), nil)
}

func TestChange_OfMoreItemsThanATransactionHoldsIsRefusedBeforeItIsSent(t *testing.T) {
	spec := catalog.Profile{Versions: catalog.Versions{Keep: true}}
	var a, b model.Attrs
	for i := range 97 {
		name := fmt.Sprintf("f%02d", i)
		spec.Unique = append(spec.Unique, catalog.Unique{Name: name, Fields: []string{name}})
		a, b = append(a, fields(name, "a")...), append(b, fields(name, "b")...)
	}
	w := newWorld(t, spec)
	if out, err := w.Create(t.Context(), alice, a); !errors.Is(err, lifecycle.ErrTooManyItems) || out.Verdict != lifecycle.Unknown {
		t.Errorf("create of 101 items: %s, %v; want ErrTooManyItems", out.Verdict, err)
	}
	w.spec.Unique = w.spec.Unique[:96]
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, a)), nil)
	sent := w.faulty.Attempted()
	if _, err := w.Update(t.Context(), alice, b, 0); !errors.Is(err, lifecycle.ErrTooManyItems) {
		t.Errorf("update of 195 items: %v, want ErrTooManyItems", err)
	}
	if got := w.faulty.Attempted(); got != sent {
		t.Errorf("%d requests were sent for it", got-sent)
	}
}

func TestAdmission_NamesWhatIsWrong(t *testing.T) {
	long := strings.Repeat("x", 4097)
	for want, c := range map[string]struct {
		subject model.Subject
		fields  model.Attrs
	}{
		"missing":           {subject(""), nil},
		"too-long":          {subject(strings.Repeat("x", 513)), nil},
		"control-character": {subject("a\nb"), nil},
		"key-too-long":      {alice, fields("status", strings.Repeat("#", 1000))},
		"name-empty":        {alice, fields("", "x")},
		"name-reserved":     {alice, fields("deletedAt", "x")},
		"duplicate-name":    {alice, fields("a", "x", "a", "y")},
		"too-long ":         {alice, fields("a", long)},
		"invalid-utf8":      {alice, fields("a", "\xff")},
		"wrong-type":        {alice, model.Attrs{{Name: "status", Value: model.BoolValue(true)}}},
		"key-too-long ":     {alice, fields("email", strings.Repeat("%", 1000))},
	} {
		w := newWorld(t, employee)
		out := w.verdict(w.Create(t.Context(), c.subject, c.fields))
		if out.Verdict != lifecycle.Rejected || len(out.Errors) != 1 || out.Errors[0].Code != strings.TrimSpace(want) {
			t.Errorf("%s: verdict %s, %+v", want, out.Verdict, out.Errors)
		}
		if c.subject == alice {
			w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, nil)), nil)
			if out := w.verdict(w.Update(t.Context(), alice, c.fields, 0)); out.Verdict != lifecycle.Rejected {
				t.Errorf("%s: verdict %s of the update", want, out.Verdict)
			}
		}
	}
	many := model.Attrs{}
	for i := range 101 {
		many = append(many, fields(fmt.Sprint("f", i), "x")...)
	}
	w := newWorld(t, employee)
	w.want(lifecycle.Rejected, w.verdict(w.Create(t.Context(), alice, many)), nil)
	w.want(lifecycle.Created, w.verdict(w.Create(t.Context(), alice, many[:60])), nil)
	w.want(lifecycle.Rejected, w.verdict(w.Update(t.Context(), alice, many[60:], 0)), nil)
}
