package userprogram

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type user struct {
	ID     string `tide:"subject"`
	Email  string `tide:"field"`
	Status string `tide:"field"`
	Visits int64  `tide:"field"`
}

func openUsers(t *testing.T, s store, p catalog.Profile) *timeseries.Profiles[user] {
	t.Helper()
	users, err := timeseries.OpenProfiles[user](s, catalog.SubjectType{Name: "USER", Profile: &p},
		&timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	return users
}

func put(t *testing.T, users *timeseries.Profiles[user], u user, version int64,
	want lifecycle.Outcome) *timeseries.Profile[user] {
	t.Helper()
	out, err := users.Put(context.Background(), u, version)
	if err != nil || out.Outcome != want {
		t.Fatalf("put %+v on version %d: %q, %v; want %s", u, version, out.Outcome, err, want)
	}
	return out.Profile
}

func TestProfiles_AreStoredOnConditionOfTheirVersion(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		users := openUsers(t, s,
			catalog.Profile{Unique: []catalog.Unique{{Name: "email", Fields: []string{"email"}}}})
		put(t, users, user{ID: "alice", Email: "a@x", Visits: 1 << 53}, 0, lifecycle.Created)
		put(t, users, user{ID: "bob", Email: "a@x"}, 0, lifecycle.Taken)
		put(t, users, user{ID: "alice", Email: "b@x", Status: "away"}, 1, lifecycle.Updated)
		if stored := put(t, users, user{ID: "alice"}, 1,
			lifecycle.Conflict); stored.Value != (user{ID: "alice", Email: "b@x", Status: "away"}) ||
			stored.Version != 2 {
			t.Errorf("conflict with %+v", stored)
		}
		put(t, users, user{ID: "bob", Email: "a@x"}, 0, lifecycle.Created)
	})
}

// An index and a constraint that are declared later once found nothing, ever, and made unrelated
// updates fail.
func TestProfiles_AreAddedToIndexesAndConstraintsDeclaredLater(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, before := context.Background(), openUsers(t, s, catalog.Profile{})
		for i := range 9 {
			put(t, before, user{ID: fmt.Sprint(i), Email: fmt.Sprint(i/2, "@x"), Status: "active"}, 0,
				lifecycle.Created)
		}
		users := openUsers(t, s, catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "status"}},
			Unique: []catalog.Unique{{Name: "email", Fields: []string{"email"}}}})
		outcomes, last := map[lifecycle.Outcome]int{}, ""
		for range 9 { // each process stops after one profile
			stop := fmt.Errorf("stopped")
			err := users.Backfill(ctx, last, func(id string, r lifecycle.Result) error {
				outcomes[r.Outcome]++
				last = id
				return stop
			})
			if err == nil {
				t.Fatal("not stopped")
			}
		}
		if err := users.Backfill(ctx, last, func(id string, _ lifecycle.Result) error {
			return fmt.Errorf("%s is left", id)
		}); err != nil {
			t.Error(err)
		}
		listed := 0
		for _, err := range users.ListBy(ctx, "status", "active") {
			if err != nil {
				t.Fatal(err)
			}
			listed++
		}
		if outcomes[lifecycle.Updated] != 5 || outcomes[lifecycle.Taken] != 4 || listed != 5 {
			t.Errorf("outcomes %v, %d in the index; want 5 updated and 4 taken", outcomes, listed)
		}
		put(t, users, user{ID: "new", Email: "3@x"}, 0, lifecycle.Taken)
	})
}

// A program needs no other type than Profiles for the whole life of a profile.
func TestProfiles_AreDeletedListedRemovedAndPurged(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx := context.Background()
		users := openUsers(t, s, catalog.Profile{
			Unique:   []catalog.Unique{{Name: "email", Fields: []string{"email"}}},
			Versions: catalog.Versions{Keep: true},
		})
		for _, id := range []string{"alice", "bob"} {
			put(t, users, user{ID: id, Email: id + "@x"}, 0, lifecycle.Created)
			put(t, users, user{ID: id, Email: id + "@x", Status: "away"}, 1, lifecycle.Updated)
			if out, err := users.Delete(ctx, id, 2); err != nil || out.Outcome != lifecycle.Deleted {
				t.Fatalf("delete %s: %+v, %v", id, out, err)
			}
		}
		first, err := users.Version(ctx, "alice", 1)
		if err != nil || first == nil || first.Value != (user{ID: "alice", Email: "alice@x"}) {
			t.Errorf("version 1: %+v, %v", first, err)
		}
		if none, err := users.Version(ctx, "alice", 9); err != nil || none != nil {
			t.Errorf("version 9: %+v, %v; want none", none, err)
		}
		if out, err := users.Remove(ctx, "alice", 0); err != nil || out.Outcome != lifecycle.Removed {
			t.Errorf("remove: %+v, %v", out, err)
		}
		var deleted []string
		for p, err := range users.ListDeleted(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			deleted = append(deleted, p.Value.ID)
		}
		if !slices.Equal(deleted, []string{"bob"}) {
			t.Errorf("deleted are %q, want bob", deleted)
		}
		if _, err := users.PurgeProgress(ctx, "bob"); !errors.Is(err, lifecycle.ErrNoPurge) {
			t.Errorf("progress of no purge: %v, want %v", err, lifecycle.ErrNoPurge)
		}
		if err := users.Purge(ctx, "bob", "the operator", time.Hour); err != nil {
			t.Fatal(err)
		}
		at, err := users.PurgeProgress(ctx, "bob")
		if err != nil || at.Done || at.Purge.By != "the operator" {
			t.Errorf("progress: %+v, %v; want a request", at, err)
		}
	})
}

// The tenant of a user is written once.
func TestProfiles_ImmutableFieldsCannotChange(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx := context.Background()
		declared := []catalog.ProfileField{{Name: "status", Immutable: true}, {Name: "email"}}
		users := openUsers(t, s, catalog.Profile{Declared: declared})
		put(t, users, user{ID: "carol", Email: "a@x"}, 0, lifecycle.Created)
		put(t, users, user{ID: "carol", Email: "a@x", Status: "acme"}, 1, lifecycle.Updated) // it had none
		put(t, users, user{ID: "carol", Email: "b@x", Status: "acme"}, 2, lifecycle.Updated)
		for _, status := range []string{"", "other"} {
			_, err := users.Put(ctx, user{ID: "carol", Email: "b@x", Status: status}, 3)
			var fields model.FieldErrors
			if !errors.As(err, &fields) || fields[0].Code != "immutable" {
				t.Errorf("status %q: %v, want an error of the field", status, err)
			}
		}
		p, err := users.Get(ctx, "carol")
		if err != nil || p == nil || p.Value.Status != "acme" || p.Version != 3 {
			t.Errorf("stored is %+v, %v", p, err)
		}
	})
}
