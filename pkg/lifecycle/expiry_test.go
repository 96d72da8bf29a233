package lifecycle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

func TestVersions_ExpireAfterTheirRetentionButTheProfileDoesNot(t *testing.T) {
	spec := employee
	spec.Versions.For = 90 * 24 * time.Hour
	w := newFixture(t, spec)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	w.advance(spec.Versions.For + time.Second)
	if page, _, err := w.Versions(t.Context(), alice, 0, 10); err != nil || len(page) != 0 {
		t.Errorf("%d versions after their expiry, %v; want none", len(page), err)
	}
	if v, err := w.Version(t.Context(), alice, 1); err != nil || v != nil {
		t.Errorf("got an expired version, %v; want none", err)
	}
	w.expire()
	if p, err := w.Get(t.Context(), alice); err != nil || p == nil || p.ExpiresAt != 0 {
		t.Errorf("the profile is %+v, %v; want one that never expires", p, err)
	}
}

// A version is kept without end unless the type says for how long. The version of a deletion is kept too,
// although its tombstone expires.
func TestVersions_OfADeletionDoesNotExpireWithItsTombstone(t *testing.T) {
	w := newFixture(t, employee)
	w.noError(w.Create(t.Context(), alice, aliceFields))
	if out := w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)),
		nil); out.Profile.ExpiresAt == 0 {
		t.Fatal("the tombstone does not expire")
	}
	if v, err := w.Version(t.Context(), alice, 2); err != nil || v == nil || v.ExpiresAt != 0 {
		t.Errorf("version %+v, %v; want one that never expires", v, err)
	}
}

func TestExpiry_OfATombstoneRemovesVersionsAndUniqueValues(t *testing.T) {
	for _, spec := range []catalog.Profile{employee, reserving} {
		w := newFixture(t, spec)
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
		w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("last", "C"), 0)), nil)
		w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
		w.advance(spec.DeletedFor - time.Second)
		if d, err := w.Deleted(t.Context(), alice); err != nil || d == nil {
			t.Errorf("no tombstone a second before its expiry: %v", err)
		}
		w.advance(time.Second)
		d, err := w.Deleted(t.Context(), alice)
		listed, listErr := w.ListDeleted(t.Context(), alice.Type, lifecycle.Cursor{}, 10)
		if err != nil || listErr != nil || d != nil || len(listed.Profiles) != 0 {
			t.Errorf("got an expired tombstone %v, listed %d; want none", d, len(listed.Profiles))
		}
		w.wantOutcome(lifecycle.NotFound, w.noError(w.Restore(t.Context(), alice, 0)), nil)
		w.expire()
		if left := names(w.items()); len(left) != 0 {
			t.Errorf("%s: items %q remain after the expiry, want none", spec.Release, left)
		}
	}
}

// The record of an expiry may arrive when the subject already has a new generation.
func TestExpiry_OfAnEarlierGenerationChangesNothingOfTheNext(t *testing.T) {
	for _, spec := range []catalog.Profile{employee, reserving} {
		w := newFixture(t, spec)
		w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
		w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("last", "C"), 0)), nil)
		tombstone := w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil).Profile
		w.advance(spec.DeletedFor)
		w.table.Expire(w.now()) // TTL deletes the tombstone; its versions and sentinels remain
		next := w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil).Profile
		wantInvariants(w, alice, bob)
		before := slices.DeleteFunc(w.items(), func(it item.Item) bool {
			of, has := it[tablekeys.AttrGeneration]
			return has && string(of.B) != string(next.Generation[:])
		})
		for range 2 {
			if err := w.CleanUpExpired(t.Context(), tombstone); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, w.items()); diff != "" {
			t.Errorf("%s: the late record of an earlier generation changed (-before +after):\n%s", spec.Release, diff)
		}
		if page, _, err := w.Versions(t.Context(), alice, 0, 10); err != nil || len(page) != 1 {
			t.Errorf("the new generation has %d versions, %v; want 1", len(page), err)
		}
	}
}

func TestExpiry_OfARestoredGenerationChangesNothing(t *testing.T) {
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	tombstone := w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil).Profile
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	before := w.items()
	if err := w.CleanUpExpired(t.Context(), tombstone); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestRemove_RemovesAllVersions(t *testing.T) {
	w := newFixture(t, reserving)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	for i := range 230 {
		w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("n", fmt.Sprint(i)), 0)),
			nil)
	}
	w.wantOutcome(lifecycle.Removed, w.noError(w.Remove(t.Context(), alice, 0)), nil)
	if left := names(w.items()); len(left) != 0 {
		t.Errorf("items %q remain, want none", left)
	}
	w.wantOutcome(lifecycle.NotFound, w.noError(w.Remove(t.Context(), alice, 0)), nil)
}
