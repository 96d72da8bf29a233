package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var aliceFields = fields("email", "Alice@acme.com", "first", "Alice", "last", "B", "status", "active", "team",
	"red")

func TestProfile_EachChangeIsAVersion(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	w.advance(time.Minute)
	w.wantOutcome(lifecycle.Updated,
		w.noError(w.Update(t.Context(), alice, fields("first", "Alicia", "team", ""), 1)), nil)
	w.advance(time.Minute)
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 2)), nil)
	w.advance(time.Minute)
	out := w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 3)), nil)
	want := fields("email", "Alice@acme.com", "first", "Alicia", "last", "B", "status", "active")
	if diff := cmp.Diff(want, out.Profile.Attrs, sameDecimal); diff != "" || out.Profile.Version != 4 ||
		out.Profile.DeletedAt != 0 || out.Profile.ExpiresAt != 0 {
		t.Errorf("restored as version %d, deleted %v (-want +got):\n%s", out.Profile.Version, out.Profile.DeletedAt,
			diff)
	}
	page, next, err := w.Versions(t.Context(), alice, 0, 10)
	if err != nil || next != 0 {
		t.Fatal(err, next)
	}
	var got []string
	for _, v := range page {
		got = append(got, fmt.Sprintf("v%d %s %d fields", v.Version, v.Change, len(v.Attrs)))
	}
	if want := []string{"v4 restored 4 fields", "v3 deleted 4 fields", "v2 updated 4 fields",
		"v1 created 5 fields"}; !slices.Equal(got, want) {
		t.Errorf("versions %q, want %q", got, want)
	}
	if v, err := w.Version(t.Context(), alice, 1); err != nil || v == nil || v.Attrs[1].Value.Text != "Alice" {
		t.Errorf("version 1 is %+v, %v; want the original first name", v, err)
	}
	if v, err := w.Version(t.Context(), alice, 5); err != nil || v != nil {
		t.Errorf("version 5 is %+v, %v; want none", v, err)
	}
}

var sameDecimal = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

func TestIndexes_HaveTheNamesOfTheTable(t *testing.T) {
	if catalog.FirstIndex != keys.IndexGSI1 || catalog.SecondIndex != keys.IndexGSI2 {
		t.Errorf("the indexes are %s and %s in the catalog, %s and %s in the table", catalog.FirstIndex,
			catalog.SecondIndex, keys.IndexGSI1, keys.IndexGSI2)
	}
}

func TestVersions_ReturnsPagesNewestFirst(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, nil)), nil)
	for i := range 11 {
		w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("n", fmt.Sprint(i)), 0)),
			nil)
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

func TestDelete_RemovesTheProfileFromItsIndexes(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	found := func() (n int) {
		for _, by := range [][2]string{{"status", "active"}, {"team", "red"}} {
			for c, first := (lifecycle.Cursor{}), true; first || c != (lifecycle.Cursor{}); first = false {
				page, err := w.ListByField(t.Context(), alice.Type, by[0], by[1], c, 10)
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
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	p, err := w.Get(t.Context(), alice)
	if p != nil || err != nil || found() != 0 {
		t.Errorf("after the deletion: %+v, %v, found by %d indexes; want none", p, err, found())
	}
	d, err := w.Deleted(t.Context(), alice)
	if err != nil || d == nil || d.DeletedAt != noon || d.ExpiresAt != noon.Add(employee.DeletedFor).Seconds() {
		t.Errorf("tombstone %+v, %v; want it deleted now and kept 30 days", d, err)
	}
	listed, err := w.ListDeleted(t.Context(), alice.Type, lifecycle.Cursor{}, 10)
	if err != nil || len(listed.Profiles) != 1 || listed.Profiles[0].Subject != alice {
		t.Errorf("listed %+v, %v", listed, err)
	}
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	if n := found(); n != 2 {
		t.Errorf("after the restore: found by %d of 2 indexes", n)
	}
}

func TestListByField_ReadsEveryShardAndRefusesUnindexedFields(t *testing.T) {
	for _, shards := range []int{1, 3} {
		spec := employee
		spec.Indexes = slices.Clone(employee.Indexes)
		spec.Indexes[1].Shards = shards
		testListByField(t, newFixture(t, spec), shards)
	}
}

func testListByField(t *testing.T, w *fixture, shards int) {
	want := map[string]bool{}
	for i := range 30 {
		s := subject(fmt.Sprint("s", i))
		want[s.ID] = true
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), s, fields("team", "red"))), nil)
	}
	pages := 0
	for c := (lifecycle.Cursor{}); ; pages++ {
		page, err := w.ListByField(t.Context(), "EMPLOYEE", "team", "red", c, 4)
		if err != nil || len(page.Profiles) > 4 {
			t.Fatal(len(page.Profiles), err)
		}
		for _, p := range page.Profiles {
			if !want[p.Subject.ID] {
				t.Errorf("%s was found twice", p.Subject)
			}
			delete(want, p.Subject.ID)
		}
		if c = page.Next; c == (lifecycle.Cursor{}) {
			break
		}
	}
	if len(want) != 0 || pages < 7 {
		t.Errorf("%d shards: %d of 30 were not found, on %d pages", shards, len(want), pages)
	}
	if _, err := w.ListByField(t.Context(), "EMPLOYEE", "last", "B", lifecycle.Cursor{}, 4); !errors.Is(err,
		lifecycle.ErrNoIndex) {
		t.Errorf("by a field without an index: %v, want ErrNoIndex", err)
	}
	if page, err := w.ListByField(t.Context(), "EMPLOYEE", "team", "red", lifecycle.Cursor{}, 0); err != nil ||
		len(page.Profiles) != 30 {
		t.Errorf("%d shards, without a limit: %d profiles, %v; want 30", shards, len(page.Profiles), err)
	}
}

// exactPages is a table that returns no position after a page if nothing follows.
type exactPages struct{ lifecycle.Store }

func (s exactPages) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	page, err := s.Store.List(ctx, l)
	if err == nil && page.Next != (itemop.Position{}) {
		l.After = page.Next
		if rest, failed := s.Store.List(ctx, l); failed == nil && len(rest.Items) == 0 {
			page.Next = itemop.Position{}
		}
	}
	return page, err
}

func TestListByField_AnErrorNamesTheField(t *testing.T) {
	w := newFixture(t, employee)
	w.faulty.Reads = func(storetest.Call) bool { return true }
	if _, err := w.ListByField(t.Context(), alice.Type, "team", "red", lifecycle.Cursor{}, 1); !errors.Is(err,
		storetest.ErrRead) || !strings.HasPrefix(err.Error(), "list EMPLOYEE by team: ") {
		t.Errorf("%v, want an error that names the field", err)
	}
}

// A page is never longer than its limit, also where the limit is the number of profiles of a shard.
func TestListByField_PagesKeepAnyLimit(t *testing.T) {
	spec := employee
	spec.Indexes = []catalog.ProfileIndex{{Field: "team", Index: catalog.SecondIndex, Shards: 3}}
	w := newFixture(t, spec)
	const profiles = 9
	for i := range profiles {
		w.noError(w.Create(t.Context(), subject(fmt.Sprint(i)), fields("team", "red")))
	}
	exact := serviceOn(exactPages{w.faulty}, w.now, func(string) catalog.Profile { return spec })
	for limit := range 2 * profiles {
		service, found := []*lifecycle.Service{w.Service, exact}[limit%2], 0
		limit = limit/2 + 1
		for c, first := (lifecycle.Cursor{}), true; first || c != (lifecycle.Cursor{}); first = false {
			page, err := service.ListByField(t.Context(), alice.Type, "team", "red", c, limit)
			if err != nil || len(page.Profiles) > limit {
				t.Fatalf("limit %d: a page of %d, %v", limit, len(page.Profiles), err)
			}
			found, c = found+len(page.Profiles), page.Next
		}
		if found != profiles {
			t.Errorf("limit %d: found %d, want %d", limit, found, profiles)
		}
	}
}

// A subject was last seen with the newest event of all its series. Enrichment is no event.
func TestLastSeen_IsTheTimeOfTheNewestEventOfAllSeries(t *testing.T) {
	for _, c := range []struct {
		minutes []int // of the latest item of each series; -1: enrichment only
		want    int   // -1: never
	}{{nil, -1}, {[]int{-1}, -1}, {[]int{5}, 5}, {[]int{5, 7, 6}, 7}, {[]int{9, 3, -1}, 9}, {[]int{-1, 0}, 0}} {
		w := newFixture(t, employee)
		for i, minute := range c.minutes {
			w.store(item.FromLatest(&model.Latest{
				Series:  model.Series{Subject: alice, Kind: "READING", Stream: fmt.Sprint(i)},
				Ordered: minute >= 0, Order: model.Order{At: noon.Add(time.Duration(minute) * time.Minute)},
			}))
		}
		at, ok, err := w.LastSeen(t.Context(), alice)
		if err != nil || ok != (c.want >= 0) || ok && at != noon.Add(time.Duration(c.want)*time.Minute) {
			t.Errorf("%v: last seen at %s, %t, %v; want minute %d", c.minutes, at, ok, err, c.want)
		}
	}
}

// Stored keys contain the shard, so a subject must keep it.
func TestShards_OfSubjectsNeverChange(t *testing.T) {
	spec := employee
	spec.Indexes = []catalog.ProfileIndex{{Field: "team", Index: catalog.SecondIndex, Shards: 3}}
	for id, shard := range map[string]int{"s0": 1, "s1": 2, "s2": 2, "s3": 3, "s4": 2} {
		w := newFixture(t, spec)
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), subject(id), fields("team", "red"))), nil)
		page, err := w.table.List(t.Context(), itemop.ListRequest{Index: catalog.SecondIndex,
			Partition: tablekeys.FieldPartition("EMPLOYEE", "team", "red", shard)})
		if err != nil || len(page.Items) != 1 {
			t.Errorf("%s: %d items in shard %d, %v; want one", id, len(page.Items), shard, err)
		}
	}
}

func TestCreateAndDelete_ListTheSubjectWhileItHasAProfile(t *testing.T) {
	w := newFixture(t, employee)
	listed := func() bool {
		it, err := w.table.GetItem(t.Context(), tablekeys.SeriesEntry(model.Series{Subject: alice}))
		if err != nil {
			t.Fatal(err)
		}
		return it != nil
	}
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	if !listed() {
		t.Error("a created subject is not listed")
	}
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	if listed() {
		t.Error("a deleted subject is listed")
	}
	w.noError(w.Restore(t.Context(), alice, 0))
	if !listed() {
		t.Error("a restored subject is not listed")
	}
}

func TestUpdate_ChangesOnlyTheFieldsOfThePatch(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	foreign := item.Item{ // an attribute that another program sets
		keys.AttrPK: {Type: item.S, S: keys.Metadata(alice).PK},
		keys.AttrSK: {Type: item.S, S: keys.Metadata(alice).SK},
		"score":     {Type: item.N, S: "7"},
	}
	if err := w.table.UpdateItem(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	w.wantOutcome(lifecycle.Updated,
		w.noError(w.Update(t.Context(), alice, fields("status", "away", "team", ""), 0)), nil)
	it, err := w.table.GetItem(t.Context(), keys.Metadata(alice))
	if err != nil {
		t.Fatal(err)
	}
	if it["score"].S != "7" || it["first"].S != "Alice" || it["status"].S != "away" {
		t.Errorf("the profile is %v", it)
	}
	if _, ok := it["team"]; ok || it.IndexKey(keys.IndexGSI2) != (keys.Key{}) {
		t.Errorf("the removed field, or its index key, remains: %v", it)
	}
	if got, want := it.IndexKey(keys.IndexGSI1), tablekeys.FieldEntry(alice, "status", "away", 0); got != want {
		t.Errorf("the index key is %v, want %v", got, want)
	}
	out := w.wantOutcome(lifecycle.Unchanged,
		w.noError(w.Update(t.Context(), alice, fields("status", "away", "none", ""), 0)), nil)
	if out.Profile.Version != 2 {
		t.Errorf("a patch without changes made version %d, want 2", out.Profile.Version)
	}
}

func TestUpdate_AcceptsAProfileThatAnotherProgramCreated(t *testing.T) {
	w := newFixture(t, employee)
	stored := model.Profile{Subject: alice, Attrs: fields("email", "a@x", "status", "active")}
	if err := w.table.PutItem(t.Context(), item.FromProfile(&stored)); err != nil {
		t.Fatal(err)
	}
	w.wantOutcome(lifecycle.Exists, w.noError(w.Create(t.Context(), alice, nil)), nil)
	out := w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("last", "B"), 0)), nil)
	if out.Profile.Version != 1 || len(out.Profile.Sentinels) != 1 ||
		out.Profile.Generation == (model.Generation{}) {
		t.Errorf("updated to %+v; want version 1, a generation, and one sentinel", out.Profile)
	}
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 1)), nil)
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	wantInvariants(w, alice, bob)
}

func TestChange_OutcomeOfEachChangeInEachState(t *testing.T) {
	ctx := t.Context()
	states := []struct {
		name string
		make func(*fixture)
		// outcomes of create, update, update with a wrong version, delete, delete with a wrong
		// version, restore, restore with a wrong version, remove
		want string
	}{
		{"none", func(*fixture) {}, "created not-found not-found not-found not-found not-found not-found not-found"},
		{"active", func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)) },
			"exists updated conflict deleted conflict exists exists removed"},
		{"deleted", func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)); w.noError(w.Delete(ctx, alice, 0)) },
			"restorable restorable restorable restorable restorable restored conflict removed"},
		{"deleted and expired", func(w *fixture) {
			w.noError(w.Create(ctx, alice, aliceFields))
			w.noError(w.Delete(ctx, alice, 0))
			w.advance(employee.DeletedFor)
		}, "created not-found not-found not-found not-found not-found not-found removed"},
		{"removed", func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)); w.noError(w.Remove(ctx, alice, 0)) },
			"created not-found not-found not-found not-found not-found not-found not-found"},
		{"being purged", func(w *fixture) {
			w.noError(w.Create(ctx, alice, aliceFields))
			lock := storage.PurgeLock{Subject: alice, Since: noon, PurgeID: "1"}
			if err := w.table.PutItem(ctx, item.FromPurgeLock(&lock)); err != nil {
				w.Fatal(err)
			}
		}, "exists gone conflict gone conflict exists exists gone"},
		{"purged", func(w *fixture) {
			lock := storage.PurgeLock{Subject: alice, Since: noon, PurgeID: "1"}
			if err := w.table.PutItem(ctx, item.FromPurgeLock(&lock)); err != nil {
				w.Fatal(err)
			}
		}, "gone not-found not-found not-found not-found not-found not-found not-found"},
	}
	changes := []func(w *fixture) (lifecycle.Result, error){
		func(w *fixture) (lifecycle.Result, error) { return w.Create(ctx, alice, fields("email", "other@x")) },
		func(w *fixture) (lifecycle.Result, error) { return w.Update(ctx, alice, fields("last", "C"), 0) },
		func(w *fixture) (lifecycle.Result, error) { return w.Update(ctx, alice, fields("last", "C"), 9) },
		func(w *fixture) (lifecycle.Result, error) { return w.Delete(ctx, alice, 0) },
		func(w *fixture) (lifecycle.Result, error) { return w.Delete(ctx, alice, 9) },
		func(w *fixture) (lifecycle.Result, error) { return w.Restore(ctx, alice, 0) },
		func(w *fixture) (lifecycle.Result, error) { return w.Restore(ctx, alice, 9) },
		func(w *fixture) (lifecycle.Result, error) { return w.Remove(ctx, alice, 0) },
	}
	for _, s := range states {
		var got []string
		for _, change := range changes {
			w := newFixture(t, employee)
			s.make(w)
			got = append(got, string(w.noError(change(w)).Outcome))
			wantInvariants(w, alice, bob)
		}
		if strings.Join(got, " ") != s.want {
			t.Errorf("state %s: outcomes\n %s, want\n %s", s.name, strings.Join(got, " "), s.want)
		}
	}
}

func TestListDeleted_TheLatestDeletionIsFirst(t *testing.T) {
	w := newFixture(t, employee)
	subjects := []model.Subject{{Type: alice.Type, ID: "c"}, {Type: alice.Type, ID: "a"},
		{Type: alice.Type, ID: "b"}}
	for _, s := range subjects {
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), s, nil)), nil)
		w.advance(time.Minute)
		w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), s, 0)), nil)
	}
	listed, err := w.ListDeleted(t.Context(), alice.Type, lifecycle.Cursor{}, 2)
	if err != nil || len(listed.Profiles) != 2 || listed.Profiles[0].Subject != subjects[2] ||
		listed.Profiles[1].Subject != subjects[1] {
		t.Errorf("got %+v, %v; want the two that were deleted last, the last one first", listed.Profiles, err)
	}
}
