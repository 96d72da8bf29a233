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

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestChange_WithTooManyItemsIsNotSent(t *testing.T) {
	spec := catalog.Profile{Versions: catalog.Versions{Keep: true}}
	var a, b model.Attrs
	for i := range 96 {
		name := fmt.Sprintf("f%02d", i)
		spec.Unique = append(spec.Unique, catalog.Unique{Name: name, Fields: []string{name}})
		a, b = append(a, fields(name, "a")...), append(b, fields(name, "b")...)
	}
	w := newFixture(t, spec)
	if out, err := w.Create(t.Context(), alice, a); !errors.Is(err, lifecycle.ErrTooManyItems) ||
		out.Outcome != "" {
		t.Errorf("create with 101 items: %s, %v; want ErrTooManyItems", out.Outcome, err)
	}
	w.spec.Unique = w.spec.Unique[:95]
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, a)), nil)
	sent := w.faulty.WriteCount()
	if _, err := w.Update(t.Context(), alice, b, 0); !errors.Is(err, lifecycle.ErrTooManyItems) {
		t.Errorf("update with 193 items: %v, want ErrTooManyItems", err)
	}
	if got := w.faulty.WriteCount(); got != sent {
		t.Errorf("%d requests were sent, want 0", got-sent)
	}
}

func TestChange_HasTheSameResultWithAFaultAtAnyWrite(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		before func(*fixture)
		change func(*fixture) (lifecycle.Result, error)
		want   lifecycle.Outcome
	}{
		"create": {func(*fixture) {}, func(w *fixture) (lifecycle.Result, error) { return w.Create(ctx, alice, aliceFields) }, lifecycle.Created},
		"update": {func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)) }, func(w *fixture) (lifecycle.Result, error) {
			return w.Update(ctx, alice, fields("email", "new@x", "team", ""), 1)
		}, lifecycle.Updated},
		"delete": {func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)) }, func(w *fixture) (lifecycle.Result, error) {
			return w.Delete(ctx, alice, 0)
		}, lifecycle.Deleted},
		"restore": {func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)); w.noError(w.Delete(ctx, alice, 0)) },
			func(w *fixture) (lifecycle.Result, error) { return w.Restore(ctx, alice, 2) }, lifecycle.Restored},
		"remove": {func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)) }, func(w *fixture) (lifecycle.Result, error) {
			return w.Remove(ctx, alice, 1)
		}, lifecycle.Removed},
	} {
		noFault := newFixture(t, employee)
		c.before(noFault)
		noFault.wantOutcome(c.want, noFault.noError(c.change(noFault)), nil)
		for _, fault := range storetest.WriteFaults() {
			for n, hit := 0, true; hit; n++ {
				w := newFixture(t, employee)
				c.before(w)
				from := w.faulty.WriteCount()
				hit = false
				w.faulty.Writes = func(call storetest.Call) storetest.WriteFault {
					if call.N != from+n {
						return storetest.NoFault
					}
					hit = true
					return fault
				}
				w.wantOutcome(c.want, w.noError(c.change(w)), nil)
				w.faulty.CompleteDelayed()
				if diff := cmp.Diff(names(noFault.items()), names(w.items())); diff != "" {
					t.Errorf("%s, %s at write %d (-without fault +got):\n%s", name, fault, n, diff)
				}
				wantInvariants(w, alice, bob)
			}
		}
	}
}

// While a subject is purged, no change of its profile is stored.
func TestChange_IsGoneWhileTheSubjectIsPurged(t *testing.T) {
	ctx := t.Context()
	create := func(w *fixture) { w.noError(w.Create(ctx, alice, aliceFields)) }
	remove := func(w *fixture) (lifecycle.Result, error) { return w.Remove(ctx, alice, 0) }
	deleted := func(w *fixture) { create(w); w.noError(w.Delete(ctx, alice, 0)) }
	for name, c := range map[string]struct {
		before func(*fixture)
		change func(*fixture) (lifecycle.Result, error)
	}{
		"create":           {func(*fixture) {}, func(w *fixture) (lifecycle.Result, error) { return w.Create(ctx, alice, aliceFields) }},
		"update":           {create, func(w *fixture) (lifecycle.Result, error) { return w.Update(ctx, alice, fields("team", "blue"), 0) }},
		"delete":           {create, func(w *fixture) (lifecycle.Result, error) { return w.Delete(ctx, alice, 0) }},
		"restore":          {deleted, func(w *fixture) (lifecycle.Result, error) { return w.Restore(ctx, alice, 0) }},
		"remove":           {create, remove},
		"remove a deleted": {deleted, remove},
	} {
		w := newFixture(t, employee)
		c.before(w)
		w.store(item.FromPurgeLock(
			&storage.PurgeLock{Subject: alice, Since: noon, ExpiresAt: noon.Add(time.Hour).Seconds()}))
		before := w.items()
		if out, err := c.change(w); err != nil || out.Outcome != lifecycle.Gone {
			t.Errorf("%s: %s, %v; want %s", name, out.Outcome, err, lifecycle.Gone)
		}
		if diff := cmp.Diff(before, w.items()); diff != "" {
			t.Errorf("%s (-before +after):\n%s", name, diff)
		}
	}
}

// silent is a table on which a condition fails, and which does not say which.
type silent struct {
	lifecycle.Store
	failed bool
}

func (s *silent) Commit(_ context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	s.failed = true
	return itemop.TransactResult{Result: storage.ConditionFailed,
		Items: make([]itemop.ItemResult, len(tx.Actions))}, nil
}

func TestCleanUpExpired_AFailedConditionWithoutReasonIsAnError(t *testing.T) {
	w := newFixture(t, employee)
	store := &silent{Store: w.table}
	ended := model.Profile{Subject: alice, Generation: model.Generation{1}, Sentinels: []string{"x"}}
	if err := serviceOn(store, w.now, func(string) catalog.Profile { return employee }).CleanUpExpired(
		t.Context(), &ended); err == nil || !store.failed {
		t.Errorf("%v, want an error", err)
	}
}

// The subject holds a value already that its profile does not name: a program wrote it, or the constraint is
// new.
func TestUpdate_ClaimsAValueThatTheSubjectHoldsAlready(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	created := w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)),
		nil).Profile
	w.spec = employee
	held := storage.Sentinel{Partition: tablekeys.Unique(alice.Type, "email", "talice@acme.com").PK,
		Owner: alice, Generation: created.Generation}
	w.store(item.FromSentinel(&held))
	out := w.wantOutcome(lifecycle.Updated, w.noError(w.Update(t.Context(), alice, fields("team", "blue"), 0)),
		nil)
	if !slices.Contains(out.Profile.Sentinels, held.Partition) {
		t.Errorf("the profile names %q, want %q too", out.Profile.Sentinels, held.Partition)
	}
	wantInvariants(w, alice, bob)
}

// An earlier generation may have left a version whose number the new profile reaches much later.
func TestCreate_RemovesVersionsOfAnEarlierGeneration(t *testing.T) {
	w := newFixture(t, employee)
	w.storeVersion(newVersion(alice, 5, model.Generation{1}))
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, aliceFields)), nil)
	if page, _, err := w.Versions(t.Context(), alice, 0, 10); err != nil || len(page) != 1 ||
		page[0].Version != 1 {
		t.Errorf("versions %+v, %v; want only version 1", page, err)
	}
}

func TestValidation_ReturnsTheCodeOfEachError(t *testing.T) {
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
		"invalid-utf8 ":     {subject("a\xff"), fields("status", "active")}, // not of the index key, too
		"wrong-type":        {alice, model.Attrs{{Name: "status", Value: model.BoolValue(true)}}},
		"key-too-long ":     {alice, fields("email", strings.Repeat("%", 1000))},
	} {
		w := newFixture(t, employee)
		out, err := w.Create(t.Context(), c.subject, c.fields)
		var problems model.FieldErrors
		if !errors.As(err, &problems) || !errors.Is(err, model.ErrRejected) || out.Outcome != "" ||
			len(problems) != 1 || problems[0].Code != strings.TrimSpace(want) {
			t.Errorf("%s: outcome %q, %v", want, out.Outcome, err)
		}
		if c.subject == alice {
			w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, nil)), nil)
			if out, err := w.Update(t.Context(), alice, c.fields, 0); !errors.Is(err, model.ErrRejected) {
				t.Errorf("%s: %s, %v of the update", want, out.Outcome, err)
			}
		}
	}
	many := model.Attrs{}
	for i := range 101 {
		many = append(many, fields(fmt.Sprint("f", i), "x")...)
	}
	w := newFixture(t, employee)
	w.wantRejected(w.Create(t.Context(), alice, many))
	w.wantOutcome(lifecycle.Created, w.noError(w.Create(t.Context(), alice, many[:60])), nil)
	w.wantRejected(w.Update(t.Context(), alice, many[60:], 0))
}
