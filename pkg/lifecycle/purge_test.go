package lifecycle_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestPurge_RemovesExactlyItsTargetAndSaysWhat(t *testing.T) {
	for _, n := range []int{0, 1, 25, 26, 100, 101, 1000} {
		w := newWorld(t, employee)
		w.store(belongings(alice, n)...)
		w.store(registered()...)
		w.store(neighbours()...)
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
			t.Errorf("%d items: the receipt says %d, %d are gone; want %d", n, removed(receipt), got, n+2)
		}
		var would int64
		for _, c := range counted {
			would += c.Items
		}
		if would != int64(n+3) { // the value that another has by now is not hers to count, and is named all the same
			t.Errorf("%d items: a dry run counted %d, want %d", n, would, n+3)
		}
	}
}

func TestPurge_DryRunRemovesNothing(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 50)...)
	w.store(registered()...)
	before := w.items()
	counts, err := w.purger.Count(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("a dry run changed (-before +after):\n%s", diff)
	}
	got := map[string]int64{}
	for _, c := range counts {
		got[c.Class] = c.Items
		if c.Bytes <= 0 {
			t.Errorf("%s: %d bytes", c.Class, c.Bytes)
		}
	}
	want := map[string]int64{"events": 15, "rollups": 7, "currents": 7, "alerts": 7, "quarantine": 7, "versions": 7, "profile": 1, "unique values": 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPurge_ReceiptNamesNobodyAndSaysWhereCopiesRemain(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 30)...)
	w.store(registered()...)
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
			t.Errorf("the receipt holds %q: %s", personal, text)
		}
	}
	if receipt.By != "ops" || receipt.Purge == "" || receipt.Gated != noon || receipt.Finished <= receipt.Gated || len(receipt.Remains) != 5 {
		t.Errorf("receipt %+v", receipt)
	}
	again, err := w.purger.Advance(t.Context(), alice)
	if err != nil || !again.Done {
		t.Fatal(again, err)
	}
	if diff := cmp.Diff(receipt, again.Receipt); diff != "" {
		t.Errorf("asked again, the receipt says otherwise (-first +again):\n%s", diff)
	}
}

func TestPurge_WaitsBetweenItsStepsAndLiftsTheGateAfterTwoDays(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 20)...)
	if _, err := w.purger.Ask(t.Context(), alice, "ops", time.Hour); err != nil {
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
			t.Fatalf("before its time it went from %s to %s, %v", at.Purge.Step, again.Purge.Step, err)
		}
		w.advance(at.Resume.Sub(w.now()))
	}
	if want := []string{"asked 1h0m0s", "gated 20s", "fenced 20s", "erased 2m0s"}; !slices.Equal(got, want) {
		t.Errorf("waited %q, want %q", got, want)
	}
	w.advance(lifecycle.GateFor - time.Second)
	w.table.Expire(w.now())
	if gated, _ := w.table.Gated(t.Context(), alice); !gated {
		t.Error("the gate was lifted early")
	}
	w.advance(time.Second)
	w.table.Expire(w.now())
	if left := names(w.items()); len(left) != 0 {
		t.Errorf("after the gate there is still %q", left)
	}
}

func TestPurge_KeepsItsRate(t *testing.T) {
	w := newWorld(t, employee)
	w.purger.Rate = 50
	w.store(belongings(alice, 1000)...)
	began := w.now()
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits := w.purger.Timing.Wait*2 + w.purger.Timing.Settle
	if took := w.now().Sub(began) - waits; took < 20*time.Second || took > 30*time.Second {
		t.Errorf("1,000 items at 50 a second took %s, want about 20 s", took)
	}
}

func TestPurge_AskedTwiceIsOne(t *testing.T) {
	w := newWorld(t, employee)
	first, err := w.purger.Ask(t.Context(), alice, "ops", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.purger.Ask(t.Context(), alice, "somebody else", 0)
	if err != nil || again.ID != first.ID || again.By != "ops" || again.Due != first.Due {
		t.Errorf("asked again it is %+v, %v; want the first", again, err)
	}
	open, next, err := w.purger.Open(t.Context(), lifecycle.Place{})
	if err != nil || len(open) != 1 || next != (lifecycle.Place{}) {
		t.Errorf("open are %v, %v", open, err)
	}
}

func TestPurge_IsCalledOffBeforeItBeginsAndNotAfter(t *testing.T) {
	w := newWorld(t, employee)
	if err := w.purger.CallOff(t.Context(), alice); !errors.Is(err, lifecycle.ErrNoPurge) {
		t.Errorf("nothing to call off: %v", err)
	}
	if _, err := w.purger.Ask(t.Context(), alice, "ops", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.CallOff(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); !errors.Is(err, lifecycle.ErrNoPurge) {
		t.Errorf("called off, and goes on: %v", err)
	}
	if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.CallOff(t.Context(), alice); !errors.Is(err, lifecycle.ErrUnderWay) {
		t.Errorf("called off under way: %v, want ErrUnderWay", err)
	}
}

// Whoever calls a purge off just before one of its writes is told what came of it: there
// is no gate, or the purge has begun.
func TestPurge_CalledOffWhileItBeginsIsItOrIsNot(t *testing.T) {
	for at := range 3 {
		w := newWorld(t, employee)
		if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
			t.Fatal(err)
		}
		other, from, calledOff := *w.purger, w.faulty.Attempted(), errors.New("nobody called it off")
		other.Store = w.table
		w.faulty.Writes = func(c storetest.Call) storetest.Fault {
			if c.N == from+at {
				calledOff = other.CallOff(t.Context(), alice)
			}
			return storetest.Fine
		}
		_, err := w.purger.Advance(t.Context(), alice)
		if at == 2 {
			calledOff = other.CallOff(t.Context(), alice) // it has begun
		}
		gated, _ := w.table.Gated(t.Context(), alice)
		switch {
		case calledOff == nil && (gated || !errors.Is(err, lifecycle.ErrNoPurge)):
			t.Errorf("before write %d: called off, and it is gated: %v, %v", at, gated, err)
		case calledOff != nil && (!gated || err != nil || !errors.Is(calledOff, lifecycle.ErrUnderWay)):
			t.Errorf("before write %d: not called off (%v), and it is gated: %v, %v", at, calledOff, gated, err)
		}
		if called := calledOff == nil; called != (at == 0) {
			t.Errorf("before write %d: called off: %v", at, called)
		}
	}
}

func TestPurge_GateOfThePurgeBeforeIsNoneToCallOff(t *testing.T) {
	w := newWorld(t, employee)
	if _, err := w.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Ask(t.Context(), alice, "ops", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := w.purger.CallOff(t.Context(), alice); err != nil {
		t.Error(err)
	}
	if gated, _ := w.table.Gated(t.Context(), alice); !gated {
		t.Error("the gate of the purge before was lifted")
	}
}

func TestOpen_OneThatCannotBeReadHidesNoOther(t *testing.T) {
	w := newWorld(t, employee)
	for _, s := range []model.Subject{alice, bob, subject("carol")} {
		if _, err := w.purger.Ask(t.Context(), s, "ops", time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	damaged := item.FromPurge(&model.Purge{Subject: bob})
	damaged[keys.AttrRev] = item.Value{Type: item.S, S: "?"}
	w.store(damaged)
	open, _, err := w.purger.Open(t.Context(), lifecycle.Place{})
	if len(open) != 2 || !errors.Is(err, item.ErrDamaged) || !strings.Contains(err.Error(), "bob") {
		t.Errorf("open are %d, %v; want two, and the third named", len(open), err)
	}
}

func TestPurge_BeginsAnewWhereSomebodyOpenedTheGate(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 20)...)
	if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.purger.Advance(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
	if err := w.table.DeleteItem(t.Context(), keys.Gate(alice)); err != nil {
		t.Fatal(err)
	}
	w.advance(time.Hour)
	at, err := w.purger.Advance(t.Context(), alice)
	if err != nil || at.Purge.Step != model.PurgeGated {
		t.Fatalf("at step %s, %v; want gated once more", at.Purge.Step, err)
	}
	if _, err := w.purger.Run(t.Context(), alice); err != nil {
		t.Fatal(err)
	}
}

func TestEraseSpan_DeletesTheEventsOfASpanAndOfAnID(t *testing.T) {
	w := newWorld(t, catalog.Profile{})
	series := model.Series{Subject: alice, Kind: "READING"}
	at := func(minute int) model.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	for i := range 60 {
		for _, id := range []string{"", "x"} {
			e := model.Event{Series: series, Order: model.Order{At: at(i), ID: id}, ArrivedAt: noon, ExpiresAt: noon.Add(tier.Day24).Seconds()}
			if i == 59 {
				e.ExpiresAt = noon.Add(time.Minute).Seconds()
			}
			w.store(item.FromEvent(&e))
		}
	}
	x := "x"
	for _, c := range []struct {
		span lifecycle.Span
		want lifecycle.Erased
		left int
	}{
		{lifecycle.Span{Series: series, From: at(10), To: at(10) + 1, ID: &x}, lifecycle.Erased{Deleted: 1}, 119},
		{lifecycle.Span{Series: series, From: at(10), To: at(20)}, lifecycle.Erased{Deleted: 19}, 100},
		{lifecycle.Span{Series: series, From: at(10), To: at(20)}, lifecycle.Erased{}, 100},
		{lifecycle.Span{Series: series, From: at(50), To: at(60)}, lifecycle.Erased{Deleted: 18, Expiring: 2}, 82},
	} {
		dry, before, began := c.span, len(w.items()), w.now()
		dry.DryRun, w.purger.Rate = true, 1
		would, err := w.purger.EraseSpan(t.Context(), w.table, dry)
		if err != nil || would != c.want || len(w.items()) != before || w.now() != began {
			t.Errorf("%+v: a dry run counts %+v, %v, leaves %d of %d and takes %s", c.span, would, err, len(w.items()), before, w.now().Sub(began))
		}
		w.purger.Rate = 0
		got, err := w.purger.EraseSpan(t.Context(), w.table, c.span)
		if err != nil || got != c.want || len(w.items()) != c.left {
			t.Errorf("%+v: %+v, %v, %d left; want %+v and %d", c.span, got, err, len(w.items()), c.want, c.left)
		}
	}
}
