package lifecycle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

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
