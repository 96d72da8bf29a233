package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestPurge_RemovesExactlyTheSubjectAndCountsIt(t *testing.T) {
	for _, n := range []int{0, 1, 25, 26, 100, 101, 1000} {
		w := newFixture(t, employee)
		w.store(newItems(alice, n)...)
		w.store(profileItems()...)
		w.store(otherItems()...)
		counted, err := w.purger.Count(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		before := len(w.items())
		receipt, err := w.purge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wantPurged(t, w.items(), w.now())
		if got := before - len(w.items()) + 1; removed(receipt) != int64(n+2) || got != n+2 {
			t.Errorf("%d items: the receipt counts %d, %d are removed; want %d", n, removed(receipt), got, n+2)
		}
		var would int64
		for _, c := range counted {
			would += c.Items
		}
		if would != int64(n+3) { // includes the unique value that the profile names but another subject holds
			t.Errorf("%d items: a dry run counted %d, want %d", n, would, n+3)
		}
	}
}

// The rows of a group would come back, or be missing, whatever was removed.
func TestPurge_RefusesAGroup(t *testing.T) {
	w := newFixture(t, employee)
	site := model.Subject{Type: "BY_SITE", ID: "berlin"}
	if _, err := w.purger.Count(t.Context(), site); err == nil || !strings.Contains(err.Error(), "members") {
		t.Errorf("count: got %v, want an error that says what to purge", err)
	}
	_, err := w.purger.Request(t.Context(), site, "ann", 0)
	if err == nil || !strings.Contains(err.Error(), "members") {
		t.Errorf("request: got %v, want an error that says what to purge", err)
	}
	if left := w.items(); len(left) > 0 {
		t.Errorf("a refused request stored %v", left)
	}
}

func TestPurge_DryRunRemovesNothing(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 50)...)
	w.store(profileItems()...)
	before := w.items()
	counts, err := w.purger.Count(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("a dry run changed items (-before +after):\n%s", diff)
	}
	got := map[string]int64{}
	for _, c := range counts {
		got[c.Class] = c.Items
		if c.Bytes <= 0 {
			t.Errorf("%s: %d bytes", c.Class, c.Bytes)
		}
	}
	want := map[string]int64{"events": 14, "rollups": 6, "latest items": 6, "alerts": 6, "quarantine": 6,
		"versions": 6, "list of series": 6, "profile": 1, "unique values": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPurge_ReceiptHasNoPersonalDataAndListsRemainingCopies(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 30)...)
	w.store(profileItems()...)
	receipt, err := w.purge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(receipt)
	if err != nil {
		t.Fatal(err)
	}
	for _, personal := range []string{"alice", "Alice", "acme", "active"} {
		if strings.Contains(string(text), personal) {
			t.Errorf("the receipt contains %q: %s", personal, text)
		}
	}
	for i, c := range w.purger.Copies {
		until := receipt.RemainingCopies[i].Until
		if (until == nil) != (c.For == 0) || until != nil && *until != receipt.FinishedAt.Add(c.For) {
			t.Errorf("%s remains until %v, want %s after %s, or no time", c.Where, until, c.For, receipt.FinishedAt)
		}
	}
	if receipt.RequestedBy != "ops" || receipt.Purge == "" || receipt.LockedAt != noon ||
		receipt.FinishedAt <= receipt.LockedAt || len(receipt.RemainingCopies) != len(w.purger.Copies) {
		t.Errorf("receipt %+v", receipt)
	}
	again, err := w.purger.Advance(t.Context(), alice)
	if err != nil || !again.Done {
		t.Fatal(again, err)
	}
	if diff := cmp.Diff(receipt, again.Receipt); diff != "" {
		t.Errorf("the second read of the receipt differs (-first +second):\n%s", diff)
	}
}

func TestPurge_WaitsBetweenStepsAndTheLockExpiresAfterTwoDays(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 20)...)
	if _, err := w.purger.Request(t.Context(), alice, "ops", time.Hour); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		at, err := w.purger.Advance(t.Context(), alice)
		if err != nil {
			t.Fatal(err)
		}
		if at.Done {
			break
		}
		got = append(got, fmt.Sprint(at.Purge.Step, " ", at.Resume.Sub(w.now())))
		if again, err := w.purger.Advance(t.Context(), alice); err != nil || again.Purge.Step != at.Purge.Step {
			t.Fatalf("the purge went from %s to %s before it was due, %v", at.Purge.Step, again.Purge.Step, err)
		}
		w.advance(at.Resume.Sub(w.now()))
	}
	if want := []string{"requested 1h0m0s", "subject-locked 20s", "latest-locked 20s",
		"erased 2m0s"}; !slices.Equal(got, want) {
		t.Errorf("waited %q, want %q", got, want)
	}
	w.advance(lockDuration - time.Second)
	w.table.Expire(w.now())
	if locked, _ := w.table.PurgeLocked(t.Context(), alice); !locked {
		t.Error("the purge lock expired early")
	}
	w.advance(time.Second)
	w.table.Expire(w.now())
	if left := names(w.items()); len(left) != 0 {
		t.Errorf("items %q remain after the purge lock, want none", left)
	}
}

// Each state of a purge has its own revision, so that a process that has read an earlier one writes nothing.
func TestPurge_EachStateHasItsOwnRevision(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 20)...)
	requested, err := w.purger.Request(t.Context(), alice, "ops", 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[16]byte]bool{requested.Rev: true}
	w.purger.OnProgress = func(p storage.Purge) {
		if p.Step != storage.PurgeDone && seen[p.Rev] {
			t.Errorf("step %s has a revision of before", p.Step)
		}
		seen[p.Rev] = true
	}
	if _, err := w.purger.Run(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if len(seen) < 5 {
		t.Errorf("%d revisions, want one of each step and each page", len(seen))
	}
}

// A purge that was stopped for half of its lock extends its lock and goes on.
func TestPurge_ExtendsALockThatExpiresSoon(t *testing.T) {
	w := newFixture(t, employee)
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after    time.Duration
		step     storage.PurgeStep
		extended bool
	}{
		{0, storage.PurgeSubjectLocked, true},
		{lockDuration / 2, storage.PurgeLatestLocked, false},
		{time.Second + w.purger.Timing.Append, storage.PurgeErased, true},
	} {
		w.advance(c.after)
		at, err := w.purger.Advance(t.Context(), alice)
		if err != nil || at.Purge.Step != c.step {
			t.Errorf("after %s: step %s, %v; want %s", c.after, at.Purge.Step, err, c.step)
		}
		it, err := w.table.GetItem(t.Context(), tablekeys.PurgeLock(alice))
		if err != nil {
			t.Fatal(err)
		}
		if lock, err := item.PurgeLock(it); err != nil ||
			(lock.ExpiresAt == w.now().Add(lockDuration).Seconds()) != c.extended {
			t.Errorf("step %s: the lock expires at %d, %v; want it extended: %t", c.step, lock.ExpiresAt, err,
				c.extended)
		}
	}
}

// The last step returns what was removed.
func TestPurge_TheLastStepReturnsTheCounts(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 20)...)
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	var at lifecycle.Progress
	for steps := 0; !at.Done && steps < 9; steps++ {
		w.advance(time.Hour)
		var err error
		if at, err = w.purger.Advance(t.Context(), alice); err != nil {
			t.Fatal(err)
		}
	}
	if !at.Done || len(at.Purge.Counts) == 0 || !slices.Equal(at.Purge.Counts, at.Receipt.Removed) {
		t.Errorf("%+v, want the counts of the receipt", at)
	}
}

// A profile, a tombstone and a version each name unique values, which are released with it.
func TestPurge_ReleasesTheUniqueValuesOfEachItemThatNamesThem(t *testing.T) {
	held := storage.Sentinel{Partition: tablekeys.Unique(alice.Type, "email", "talice@acme.com").PK,
		Owner: alice, Generation: model.Generation{1}}
	p := model.Profile{Subject: alice, Version: 3, Generation: held.Generation, DeletedAt: noon,
		Sentinels: []string{held.Partition}}
	version := model.ProfileVersion{Profile: p, Change: model.ProfileUpdated}
	for name, it := range map[string]item.Item{"profile": item.FromProfile(&p),
		"tombstone": item.FromTombstone(&p), "version": item.FromProfileVersion(&version)} {
		w := newFixture(t, employee)
		w.store(it, item.FromSentinel(&held))
		receipt, err := w.purge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if left := names(w.items()); len(left) != 1 {
			t.Errorf("%s: %q are left, want only the purge lock", name, left)
		}
		want := storage.PurgeCount{Class: "unique values", Items: 1,
			Bytes: int64(len(held.Partition) + len(keys.SubjectPartition(alice)))}
		if !slices.Contains(receipt.Removed, want) {
			t.Errorf("%s: the receipt counts %+v, want %+v", name, receipt.Removed, want)
		}
	}
	w := newFixture(t, employee)
	w.store(item.FromProfile(&p), item.FromProfileVersion(&version), item.FromSentinel(&held))
	counts, err := w.purger.Count(t.Context(), alice)
	if want := (storage.PurgeCount{Class: "unique values", Items: 1,
		Bytes: int64(len(held.Partition))}); err != nil || !slices.Contains(counts, want) {
		t.Errorf("a profile and its version name one unique value: %+v, %v; want %+v", counts, err, want)
	}
}

// A purge that takes days extends its lock while it removes items, and counts all of them.
func TestPurge_ThatTakesDaysCountsEachPage(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 200)...)
	w.purger.OnProgress = func(storage.Purge) { w.advance(lockDuration / 10) }
	if receipt, err := w.purge(t.Context()); err != nil || removed(receipt) != 200 ||
		w.now().Sub(noon) < lockDuration {
		t.Errorf("the receipt counts %d after %s, %v; want 200", removed(receipt), w.now().Sub(noon), err)
	}
}

func TestPurge_KeepsTheRateLimit(t *testing.T) {
	w := newFixture(t, employee)
	w.purger.Rate = 50
	w.store(newItems(alice, 1000)...)
	began := w.now()
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits := w.purger.Timing.Append*2 + w.purger.Timing.Aggregate
	if took := w.now().Sub(began) - waits; took < 20*time.Second || took > 30*time.Second {
		t.Errorf("1,000 items at 50 a second took %s, want about 20 s", took)
	}
}

func TestPurge_SecondRequestReturnsTheActivePurge(t *testing.T) {
	w := newFixture(t, employee)
	first, err := w.purger.Request(t.Context(), alice, "ops", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.purger.Request(t.Context(), alice, "another user", 0)
	if err != nil || again.ID != first.ID || again.By != "ops" || again.DueAt != first.DueAt {
		t.Errorf("the second request returned %+v, %v; want the first purge", again, err)
	}
	active, next, err := w.purger.ListActive(t.Context(), itemop.Position{})
	if err != nil || len(active) != 1 || next != (itemop.Position{}) {
		t.Errorf("active purges are %v, %v; want one", active, err)
	}
}

func TestCancel_OnlyBeforeThePurgeStarts(t *testing.T) {
	w := newFixture(t, employee)
	if err := w.purger.Cancel(t.Context(), alice); !errors.Is(err, lifecycle.ErrNoPurge) {
		t.Errorf("cancel without a purge: %v, want ErrNoPurge", err)
	}
	if _, err := w.purger.Request(t.Context(), alice, "ops", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.Cancel(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); !errors.Is(err, lifecycle.ErrNoPurge) {
		t.Errorf("advance after cancel: %v, want ErrNoPurge", err)
	}
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.Cancel(t.Context(), alice); !errors.Is(err, lifecycle.ErrPurgeStarted) {
		t.Errorf("cancel after the start: %v, want ErrPurgeStarted", err)
	}
}

// A Cancel just before one of the first writes of a purge either succeeds, and there is no
// purge lock, or fails with ErrPurgeStarted.
func TestCancel_WhileThePurgeStartsEitherCancelsOrFails(t *testing.T) {
	for at := range 3 {
		w := newFixture(t, employee)
		if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
			t.Fatal(err)
		}
		other := *w.purger
		from := w.faulty.WriteCount()
		canceled := errors.New("not called yet")
		other.Store = w.table
		w.faulty.Writes = func(c storetest.Call) storetest.WriteFault {
			if c.N == from+at {
				canceled = other.Cancel(t.Context(), alice)
			}
			return storetest.NoFault
		}
		_, err := w.purger.Advance(t.Context(), alice)
		if at == 2 {
			canceled = other.Cancel(t.Context(), alice) // the purge has started
		}
		locked, _ := w.table.PurgeLocked(t.Context(), alice)
		switch {
		case canceled == nil && (locked || !errors.Is(err, lifecycle.ErrNoPurge)):
			t.Errorf("before write %d: canceled, but locked: %v, %v", at, locked, err)
		case canceled != nil && (!locked || err != nil || !errors.Is(canceled, lifecycle.ErrPurgeStarted)):
			t.Errorf("before write %d: not canceled (%v), but locked: %v, %v", at, canceled, locked, err)
		}
		if ok := canceled == nil; ok != (at == 0) {
			t.Errorf("before write %d: canceled: %v", at, ok)
		}
	}
}

func TestCancel_KeepsThePurgeLockOfAnEarlierPurge(t *testing.T) {
	w := newFixture(t, employee)
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Request(t.Context(), alice, "ops", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.Cancel(t.Context(), alice); err != nil {
		t.Error(err)
	}
	if locked, _ := w.table.PurgeLocked(t.Context(), alice); !locked {
		t.Error("cancel removed the purge lock of the earlier purge")
	}
}

func TestListActive_ReturnsTheOthersIfOneIsDamaged(t *testing.T) {
	w := newFixture(t, employee)
	for _, s := range []model.Subject{alice, bob, subject("carol")} {
		if _, err := w.purger.Request(t.Context(), s, "ops", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	damaged := item.FromPurge(&storage.Purge{Subject: bob})
	damaged[tablekeys.AttrRev] = item.Value{Type: item.S, S: "?"}
	w.store(damaged)
	active, _, err := w.purger.ListActive(t.Context(), itemop.Position{})
	if len(active) != 2 || !errors.Is(err, item.ErrDamaged) || !strings.Contains(err.Error(), "bob") {
		t.Errorf("%d active purges, %v; want two, and an error that names the third", len(active), err)
	}
}

func TestPurge_LocksTheLatestItemsOfAllShards(t *testing.T) {
	w := newFixture(t, employee)
	var latest []keys.Key
	for shard := range 3 {
		c := model.Latest{Series: model.Series{Subject: alice, Kind: "READING", Shard: shard}, Ordered: true,
			Order: model.Order{At: noon}}
		latest = append(latest, keys.Latest(c.Series))
		w.store(item.FromLatest(&c))
	}
	_, err := w.purger.Request(t.Context(), alice, "ops", 0)
	var at lifecycle.Progress
	for steps := 0; err == nil && at.Purge.Step != storage.PurgeLatestLocked && steps < 10; steps++ {
		w.advance(time.Hour)
		at, err = w.purger.Advance(t.Context(), alice)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range latest {
		it, err := w.table.GetItem(t.Context(), k)
		if _, locked := it[tablekeys.AttrPurgeLock]; err != nil || !locked {
			t.Errorf("the latest item %v is not locked (%v)", k, err)
		}
	}
}

func TestPurge_RestartsIfThePurgeLockIsMissing(t *testing.T) {
	w := newFixture(t, employee)
	w.store(newItems(alice, 20)...)
	if _, err := w.purger.Request(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if err := w.table.DeleteItem(t.Context(), tablekeys.PurgeLock(alice)); err != nil {
		t.Fatal(err)
	}
	w.advance(time.Hour)
	at, err := w.purger.Advance(t.Context(), alice)
	if err != nil || at.Purge.Step != storage.PurgeSubjectLocked {
		t.Fatalf("at step %s, %v; want a new purge lock", at.Purge.Step, err)
	}
	if _, err := w.purger.Run(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
}

func TestEraseEvents_DeletesTheSelectedEvents(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	series := model.Series{Subject: alice, Kind: "READING"}
	at := func(minute int) model.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	for i := range 60 {
		for _, id := range []string{"", "x"} {
			e := model.Event{Series: series, Order: model.Order{At: at(i), ID: id}, ArrivedAt: noon,
				ExpiresAt: noon.Add(tier.Day24).Seconds()}
			if i == 59 {
				e.ExpiresAt = noon.Add(time.Minute).Seconds()
			}
			w.store(item.FromEvent(&e))
		}
	}
	x := "x"
	for _, c := range []struct {
		span lifecycle.EventSelection
		want lifecycle.EraseResult
		left int
	}{
		{lifecycle.EventSelection{Series: series, From: at(10), To: at(10) + 1, ID: &x}, lifecycle.EraseResult{Deleted: 1}, 119},
		{lifecycle.EventSelection{Series: series, From: at(10), To: at(20)}, lifecycle.EraseResult{Deleted: 19}, 100},
		{lifecycle.EventSelection{Series: series, From: at(10), To: at(20)}, lifecycle.EraseResult{}, 100},
		{lifecycle.EventSelection{Series: series, From: at(50), To: at(60)}, lifecycle.EraseResult{Deleted: 18, Expiring: 2}, 82},
	} {
		dry := c.span
		before := len(w.items())
		began := w.now()
		dry.DryRun, w.purger.Rate = true, 1
		would, err := w.purger.EraseEvents(t.Context(), w.table, dry)
		if err != nil || would != c.want || len(w.items()) != before || w.now() != began {
			t.Errorf("%+v: a dry run counts %+v, %v, keeps %d of %d and takes %s", c.span, would, err, len(w.items()),
				before, w.now().Sub(began))
		}
		w.purger.Rate = 0
		got, err := w.purger.EraseEvents(t.Context(), w.table, c.span)
		if err != nil || got != c.want || len(w.items()) != c.left {
			t.Errorf("%+v: %+v, %v, %d remain; want %+v and %d", c.span, got, err, len(w.items()), c.want, c.left)
		}
		if c.span.ID == nil {
			continue
		}
		for id, want := range map[string]bool{"": true, x: false} {
			it, err := w.table.GetItem(t.Context(),
				keys.Event(model.EventKey{Series: series, Order: model.Order{At: c.span.From, ID: id}}))
			if err != nil || (it != nil) != want {
				t.Errorf("the event with id %q is stored: %t, %v; want %t", id, it != nil, err, want)
			}
		}
	}
}

// The events of one visitor are removed, and events of which nothing is known are kept and counted.
func TestEraseEvents_DeletesTheEventsThatMeetACondition(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	series := model.Series{Subject: alice, Kind: "READING"}
	for i, visitor := range []string{"a", "b", "a", "c"} {
		e := model.Event{Series: series, Order: model.Order{At: noon.Add(time.Duration(i) * time.Minute)},
			ArrivedAt: noon, ExpiresAt: noon.Add(tier.Day24).Seconds(),
			Attrs: model.Attrs{{Name: "visitor", Value: model.TextValue(visitor)}}}
		it := item.FromEvent(&e)
		if visitor == "c" {
			it[keys.AttrVersion] = item.Value{Type: item.S, S: "damaged"}
		}
		w.store(it)
	}
	selection := lifecycle.EventSelection{Series: series, From: model.MinTime, To: model.MaxTime + 1,
		Where: model.Condition{{Field: "visitor", Op: model.Equal, Value: model.TextValue("a")}}}
	for _, want := range []lifecycle.EraseResult{{Deleted: 2, Unreadable: 1, WithFields: 3}, {Unreadable: 1,
		WithFields: 1}} {
		if got, err := w.purger.EraseEvents(t.Context(), w.table, selection); err != nil || got != want ||
			len(w.items()) != 2 {
			t.Errorf("%+v, %v, %d left; want %+v and 2", got, err, len(w.items()), want)
		}
	}
}

// A condition has the names of readers: a property has the place in the table only for those who know it.
func TestEraseEvents_FindsAPropertyByItsName(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	kinds, err := catalog.New(catalog.Kind{Name: "CUSTOMEVENT", Subject: catalog.SubjectType{Name: alice.Type},
		Properties: []string{"prop1", "prop2"}, Retention: tier.Policy{Raw: tier.Day24}})
	if err != nil {
		t.Fatal(err)
	}
	series := model.Series{Subject: alice, Kind: "CUSTOMEVENT"}
	for i, plan := range []string{"pro", "free", "pro"} {
		e := model.Event{Series: series, Order: model.Order{At: noon.Add(time.Duration(i) * time.Minute)},
			ArrivedAt: noon, ExpiresAt: noon.Add(tier.Day24).Seconds(), Attrs: model.Attrs{
				{Name: "name", Value: model.TextValue("buy")},
				{Name: "prop1", Value: model.TextValue("buy?plan=" + plan)},
				{Name: "prop2", Value: model.TextValue("buy?coupon=x")}}} // not in the order of names
		w.store(item.FromEvent(&e))
	}
	selection := lifecycle.EventSelection{Series: series, From: model.MinTime, To: model.MaxTime + 1,
		Where:   model.Condition{{Field: "props.plan", Op: model.Equal, Value: model.TextValue("pro")}},
		Catalog: kinds}
	want := lifecycle.EraseResult{Deleted: 2, WithFields: 3}
	if got, err := w.purger.EraseEvents(t.Context(), w.table, selection); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

// beforeRead is a store that does something before an item is read for the first time.
type beforeRead struct {
	*storetest.FaultyStore
	once sync.Once
	do   func()
}

func (s *beforeRead) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	s.once.Do(s.do)
	return s.FaultyStore.GetItem(ctx, k)
}

func TestRequest_IsMadeAgainIfTheActivePurgeEndsMeanwhile(t *testing.T) {
	w := newFixture(t, employee)
	first, err := w.purger.Request(t.Context(), alice, "u1", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	other := *w.purger
	w.purger.Store = &beforeRead{FaultyStore: w.faulty, do: func() {
		if err := other.Cancel(t.Context(), alice); err != nil {
			t.Error(err)
		}
	}}
	second, err := w.purger.Request(t.Context(), alice, "u2", time.Hour)
	if err != nil || second.ID == first.ID || second.By != "u2" {
		t.Errorf("got %+v, %v; want a request of its own", second, err)
	}
	if active, err := other.Active(t.Context(), alice); err != nil || active == nil || active.ID != second.ID {
		t.Errorf("active is %+v, %v; want the second request", active, err)
	}
}
