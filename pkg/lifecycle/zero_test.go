package lifecycle_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

func wall() model.Time { return model.NewTime(time.Now()) }

// A Service and a Purger with nothing but a store work.
func TestZeroValues_AreUsable(t *testing.T) {
	t.Parallel()
	table := memory.New(wall)
	profiles := &lifecycle.Service{Store: table}
	out, err := profiles.Create(t.Context(), alice, fields("status", "active"))
	if err != nil || out.Outcome != lifecycle.Created {
		t.Fatalf("create: %s, %v", out.Outcome, err)
	}
	counts, err := (&lifecycle.Purger{Store: table}).Count(t.Context(), alice)
	if err != nil || len(counts) == 0 {
		t.Errorf("count: %v, %v; want the profile", counts, err)
	}
}

// An index that names only its field uses the first index.
func TestListByField_OfAnIndexWithOnlyAField(t *testing.T) {
	t.Parallel()
	spec := func(string) catalog.Profile {
		return catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "status"}}}
	}
	profiles := &lifecycle.Service{Store: memory.New(wall), Profile: spec}
	if _, err := profiles.Create(t.Context(), alice, fields("status", "active")); err != nil {
		t.Fatal(err)
	}
	page, err := profiles.ListByField(t.Context(), alice.Type, "status", "active", lifecycle.Cursor{}, 10)
	if err != nil || len(page.Profiles) != 1 {
		t.Errorf("found %d profiles, %v; want 1", len(page.Profiles), err)
	}
}

// A purge removes the events of all shards, whatever the kinds are.
func TestPurge_RemovesEventsOfAllShardsByDefault(t *testing.T) {
	t.Parallel()
	type seen struct {
		Employee string    `tide:"subject"`
		At       time.Time `tide:"time"`
	}
	w := newFixture(t, employee)
	kind := catalog.Kind{Name: "SEEN", Subject: catalog.SubjectType{Name: alice.Type}, Shards: 8,
		Latest: catalog.NoLatest}
	events, err := timeseries.Open[seen](w.table, kind, &timeseries.Options{Now: func() time.Time {
		return w.now().Time()
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if _, err := events.Append(t.Context(),
			seen{Employee: alice.ID, At: noon.Time().Add(-time.Duration(i) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	purger := &lifecycle.Purger{Store: w.table, Now: w.now, Sleep: w.sleep}
	if _, err := purger.Request(t.Context(), alice, "test", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := purger.Run(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	n, err := events.Count(t.Context(), timeseries.Key{Subject: alice.ID})
	if err != nil || n.Events != 0 {
		t.Errorf("%d events are left, %v", n.Events, err)
	}
}

// Another program's attributes of other types survive deletion and restoration.
func TestRestore_KeepsAttributesOfOtherTypes(t *testing.T) {
	t.Parallel()
	w := newFixture(t, employee)
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, fields("status", "active"))), nil)
	key := keys.Metadata(alice)
	photo := item.Value{Type: item.B, B: []byte{1, 2, 3}}
	if err := w.table.UpdateItem(t.Context(), item.Item{
		keys.AttrPK: {Type: item.S, S: key.PK}, keys.AttrSK: {Type: item.S, S: key.SK}, "photo": photo,
	}); err != nil {
		t.Fatal(err)
	}
	w.wantOutcome(lifecycle.Deleted, w.noError(w.Delete(t.Context(), alice, 0)), nil)
	w.wantOutcome(lifecycle.Restored, w.noError(w.Restore(t.Context(), alice, 0)), nil)
	w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("status", "away"), 0)), nil)
	stored, err := w.table.GetItem(t.Context(), key)
	if err != nil || !bytes.Equal(stored["photo"].B, photo.B) {
		t.Errorf("photo is %v, %v; want %v", stored["photo"], err, photo)
	}
}

// A change that the table did not decide is an error with its cause.
func TestChange_UndecidedIsAnError(t *testing.T) {
	t.Parallel()
	w := newFixture(t, employee)
	w.faulty.Writes = storetest.FailRandomly(newRand(1), 1, storetest.Throttle)
	out, err := w.Create(t.Context(), alice, nil)
	if !errors.Is(err, model.ErrUndecided) || out.Outcome != "" {
		t.Errorf("a busy table: %q, %v; want %v", out.Outcome, err, model.ErrUndecided)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.faulty.Writes = nil
	if out, err := w.Create(ctx, alice, nil); !errors.Is(err, context.Canceled) || out.Outcome != "" {
		t.Errorf("a cancelled context: %q, %v; want %v", out.Outcome, err, context.Canceled)
	}
}
