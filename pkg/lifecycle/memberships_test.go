package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// grouped is a subject type whose events count in groups by team.
var grouped = func() catalog.Profile {
	p := employee
	p.GroupFields, p.GroupsFor = []string{"team"}, 40*tier.Day24
	return p
}()

// log returns the stored log of a subject's groups.
func (w *fixture) log(s model.Subject) (m storage.Memberships) {
	w.Helper()
	it, err := w.table.GetItem(context.Background(), tablekeys.Memberships(s))
	if err == nil && it != nil {
		m, err = item.Memberships(it)
	}
	if err != nil {
		w.Fatal(err)
	}
	return m
}

func (w *fixture) wantTeams(s model.Subject, want ...string) {
	w.Helper()
	var got []string
	for _, entry := range w.log(s).Log {
		got = append(got, entry.Fields["team"])
	}
	if !slices.Equal(got, want) {
		w.Errorf("teams of %s: %q, want %q", s, got, want)
	}
}

func TestMemberships_LogEachChangeOfAFieldThatGroupsAreBy(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, grouped), t.Context()
	w.noError(w.Create(ctx, alice, fields("team", "red", "status", "new")))
	w.noError(w.Update(ctx, alice, fields("status", "old"), 0))
	w.wantTeams(alice, "red")
	w.noError(w.Update(ctx, alice, fields("team", "blue"), 0)) // in the same millisecond
	w.advance(time.Hour)
	w.noError(w.Delete(ctx, alice, 0))
	w.noError(w.Restore(ctx, alice, 0))
	w.noError(w.Update(ctx, alice, fields("team", ""), 0))
	w.wantTeams(alice, "red", "blue", "", "blue", "")
	w.noError(w.Remove(ctx, alice, 0))
	w.noError(w.Create(ctx, alice, fields("team", "red")))
	w.wantTeams(alice, "red", "blue", "", "blue", "", "red")
	log := w.log(alice).Log
	for i, entry := range log[1:] {
		if entry.From <= log[i].From {
			t.Errorf("entry %d begins at %s, and the one before at %s", i+1, entry.From, log[i].From)
		}
	}
	w.noError(w.Create(ctx, bob, fields("status", "new")))
	w.wantTeams(bob)
}

func TestMemberships_AreNotLoggedWithoutGroups(t *testing.T) {
	t.Parallel()
	w := newFixture(t, employee)
	w.noError(w.Create(t.Context(), alice, fields("team", "red")))
	w.wantTeams(alice)
}

// between does something once after the log of groups is read.
type between struct {
	lifecycle.Store
	do func()
}

func (b *between) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	it, err := b.Store.GetItem(ctx, k)
	if do := b.do; do != nil && k.SK == tablekeys.ClassMemberships {
		b.do = nil
		do()
	}
	return it, err
}

// The profile is absent before and after, so that its own condition does not show that the log has changed.
func TestMemberships_NoEntryIsLostToACreationThatReadTheLogBefore(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, grouped), t.Context()
	slow := serviceOn(&between{w.table, func() {
		w.noError(w.Create(ctx, alice, fields("team", "blue")))
		w.noError(w.Remove(ctx, alice, 0))
	}}, w.now, func(string) catalog.Profile { return w.spec })
	slow.Rand = seeded(3)
	w.noError(slow.Create(ctx, alice, fields("team", "red")))
	w.wantTeams(alice, "blue", "", "red")
}

func TestMemberships_AFullLogRefusesAChange(t *testing.T) {
	t.Parallel()
	for _, forever := range []bool{false, true} {
		w, ctx := newFixture(t, grouped), t.Context()
		if forever {
			w.spec.GroupsFor = 0
		}
		w.noError(w.Create(ctx, alice, fields("team", "0")))
		var err error
		for n := 1; n < 1000 && err == nil; n++ {
			w.advance(time.Minute)
			_, err = w.Update(ctx, alice, fields("team", fmt.Sprint(n)), 0)
		}
		var problems model.FieldErrors
		if !errors.As(err, &problems) || problems[0].Code != "moved-too-often" {
			t.Fatalf("%v", err)
		}
		w.noError(w.Delete(ctx, alice, 0))
		if _, err = w.Restore(ctx, alice, 0); !errors.As(err, &problems) || problems[0].Code != "moved-too-often" {
			t.Fatalf("restored in a full log: %v", err)
		}
		w.noError(w.Remove(ctx, alice, 0))
		w.advance(w.spec.GroupsFor + tier.Day24)
		if _, err = w.Create(ctx, alice, fields("status", "new")); err != nil {
			t.Fatalf("a profile without a team, which has no entry: %v", err)
		}
		if _, err = w.Update(ctx, alice, fields("team", "last"), 0); (err == nil) == forever {
			t.Errorf("after the events have expired, forever %v: %v", forever, err)
		}
	}
}

// The log lasts as long as the purge lock: until then records of the events may be processed.
func TestMemberships_APurgeLetsTheLogExpireWithItsLock(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, grouped), t.Context()
	w.noError(w.Create(ctx, alice, fields("team", "red")))
	if _, err := w.purger.Request(ctx, alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	receipt, err := w.purger.Run(ctx, alice)
	if err != nil {
		t.Fatal(err)
	}
	w.wantTeams(alice, "red")
	lock, err := w.table.GetItem(ctx, tablekeys.PurgeLock(alice))
	if err != nil {
		t.Fatal(err)
	}
	l, err := item.PurgeLock(lock)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.log(alice).ExpiresAt; got == 0 || l.ExpiresAt-got > int64((2*time.Minute).Seconds()) {
		t.Errorf("the log expires at %d, and the lock at %d", got, l.ExpiresAt)
	}
	if !slices.ContainsFunc(receipt.Removed, func(c storage.PurgeCount) bool {
		return c.Class == "groups of the profile, until the purge lock expires" && c.Items == 1
	}) {
		t.Errorf("the receipt does not name the log: %+v", receipt)
	}
	w.advance(lockDuration + time.Hour)
	// TTL has removed the lock, and not the log yet.
	if err := w.table.DeleteItem(ctx, tablekeys.PurgeLock(alice)); err != nil {
		t.Fatal(err)
	}
	w.noError(w.Create(ctx, alice, fields("team", "blue")))
	w.wantTeams(alice, "blue")
}

// TTL has removed the lock, and the clock of the process that creates the profile is behind.
func TestMemberships_ACreationAfterAPurgeBeginsALog(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, grouped), t.Context()
	w.noError(w.Create(ctx, alice, fields("team", "red")))
	if _, err := w.purger.Request(ctx, alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Run(ctx, alice); err != nil {
		t.Fatal(err)
	}
	if err := w.table.DeleteItem(ctx, tablekeys.PurgeLock(alice)); err != nil {
		t.Fatal(err)
	}
	w.noError(w.Create(ctx, alice, fields("team", "blue")))
	w.wantTeams(alice, "blue")
	if at := w.log(alice).ExpiresAt; at != 0 {
		t.Errorf("the log of the new profile expires at %d", at)
	}
}

// purgeStore is the store of a Purger.
type purgeStore interface {
	lifecycle.Store
	lifecycle.Eraser
}

// betweenPurge does something once after a purge has read the log of groups.
type betweenPurge struct {
	purgeStore
	do func()
}

func (b *betweenPurge) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	it, err := b.purgeStore.GetItem(ctx, k)
	if do := b.do; do != nil && k.SK == tablekeys.ClassMemberships {
		b.do = nil
		do()
	}
	return it, err
}

// A change that began before the purge lock is stored while the purge lets the log expire.
func TestMemberships_APurgeLetsALogExpireThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, grouped), t.Context()
	w.noError(w.Create(ctx, alice, fields("team", "red")))
	store := &betweenPurge{purgeStore: w.table}
	w.purger.Store, store.do = store, func() {
		log := w.log(alice)
		next, _, err := log.Moved([]string{"team"}, fields("team", "blue"), noon.Add(time.Minute), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.table.PutAll(ctx, []itemop.Put{{Item: item.FromMemberships(next)}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.purger.Request(ctx, alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	for store.do != nil { // until the pass that the change meets
		if _, err := w.purger.Advance(ctx, alice); err != nil {
			t.Fatal(err)
		}
		w.advance(time.Minute)
	}
	w.wantTeams(alice, "red", "blue")
	if w.log(alice).ExpiresAt == 0 {
		t.Error("the pass has left a log that does not expire")
	}
}

func TestMemberships_ABackfillBeginsTheLogOfAnOlderProfile(t *testing.T) {
	t.Parallel()
	w, ctx := newFixture(t, employee), t.Context()
	w.noError(w.Create(ctx, alice, fields("team", "red")))
	w.spec = grouped
	outcomes := map[lifecycle.Outcome]int{}
	for range 2 {
		if err := w.Backfill(ctx, alice.Type, "", func(_ model.Subject, r lifecycle.Result) error {
			outcomes[r.Outcome]++
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	w.wantTeams(alice, "red")
	if outcomes[lifecycle.Updated] != 1 || outcomes[lifecycle.Unchanged] != 1 {
		t.Errorf("%v", outcomes)
	}
}
