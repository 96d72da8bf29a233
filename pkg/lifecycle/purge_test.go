package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	crand "crypto/rand"

	"github.com/google/go-cmp/cmp"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/storetest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// belongings are n items of a subject, of every class there is, and their classes.
func belongings(s model.Subject, n int) (all []item.Item) {
	classes := []func(i int) item.Item{
		func(i int) item.Item { return eventOf(s, i) },
		func(i int) item.Item { return eventOf(s, i) },
		func(i int) item.Item { return rowOf(s, i, false) },
		func(i int) item.Item {
			c := model.Current{Series: seriesOf(s, i), Ordered: true, Order: model.Order{At: noon}}
			return item.FromCurrent(&c)
		},
		func(i int) item.Item {
			return plainItem(keys.Key{PK: keys.SubjectPartition(s), SK: fmt.Sprint("ALERT#", i)})
		},
		func(i int) item.Item {
			return item.FromQuarantined(&model.Quarantined{ID: fmt.Sprint(i), Door: "iot", Subject: s, ArrivedAt: noon})
		},
		func(i int) item.Item {
			v := model.ProfileVersion{Profile: model.Profile{Subject: s, Version: int64(i + 1), Life: model.Life{1}}, Change: model.ProfileUpdated}
			return item.FromProfileVersion(&v)
		},
	}
	for i := range n {
		all = append(all, classes[i%len(classes)](i))
	}
	return all
}

// seriesOf is the i-th series of a subject: some are spread over three shards, some
// have streams.
func seriesOf(s model.Subject, i int) model.Series {
	return model.Series{Subject: s, Kind: []string{"READING", "VIEW"}[i%2], Stream: fmt.Sprint(i / 8), Shard: i % 4}
}

func eventOf(s model.Subject, i int) item.Item {
	e := model.Event{Series: seriesOf(s, i), Order: model.Order{At: noon.Add(time.Duration(i) * time.Second)}, ArrivedAt: noon,
		ExpiresAt: noon.Add(30 * tier.Day24).Seconds()}
	return item.FromEvent(&e)
}

func rowOf(s model.Subject, i int, empty bool) item.Item {
	u := []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}[i%4]
	r := rollup.Row{Key: rollup.Key{Series: seriesOf(s, i), Tier: u.String(), Start: u.BucketOf(noon).Start},
		Fold: *rollup.NewFold(&rollup.Spec{}), Rev: rollup.Rev{1}, V: item.Version, WrittenAt: noon, Empty: empty, ExpiresAt: noon.Add(24 * time.Hour).Seconds()}
	it, err := item.FromRow(&r)
	if err != nil {
		panic(err)
	}
	return it
}

func plainItem(k keys.Key) item.Item {
	return item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}, "n": {Type: item.N, S: "1"}}
}

// neighbours are what a purge of alice must leave: others' things with names that
// nearly are hers, and what is not of ours in her own partition.
func neighbours() (all []item.Item) {
	for _, id := range []string{"alic", "alice2", "alice#1", "Alice", "1"} {
		all = append(all, eventOf(subject(id), 1), eventOf(subject(id), 2), rowOf(subject(id), 2, false))
	}
	other := model.Subject{Type: "EMPLOYEE2", ID: "alice"}
	own := keys.SubjectPartition(alice)
	foreign := model.Sentinel{Partition: keys.Unique(alice.Type, "email", "talice@acme.com").PK, Owner: bob, Life: model.Life{9}}
	all = append(all, eventOf(other, 1), item.FromSentinel(&foreign),
		plainItem(keys.Key{PK: own, SK: "ORDER#1"}), plainItem(keys.Key{PK: own, SK: "METADATA2"}), plainItem(keys.Key{PK: own, SK: "EVENTS"}),
		plainItem(keys.Key{PK: own + "#2", SK: "AGGREGATE"}),
		rowOf(alice, 3, true)) // an empty row, which goes by itself
	return all
}

// registered is alice's profile, with a sentinel that is hers and one that she lists
// and another has by now.
func registered() (all []item.Item) {
	p := model.Profile{Subject: alice, Version: 3, Life: model.Life{1}, Attrs: someone, Sentinels: []string{
		keys.Unique(alice.Type, "email", "talice@acme.com").PK, keys.Unique(alice.Type, "name", "tAlice", "tB").PK,
	}}
	s := model.Sentinel{Partition: p.Sentinels[1], Owner: alice, Life: p.Life}
	return []item.Item{item.FromProfile(&p), item.FromSentinel(&s)}
}

func (w *world) store(items ...item.Item) {
	w.Helper()
	for _, it := range items {
		if err := w.table.PutItem(context.Background(), it); err != nil {
			w.Fatal(err)
		}
	}
}

// wantPurged fails unless what is left is the neighbours and the gate.
func wantPurged(t testing.TB, left []item.Item, now model.Time) {
	t.Helper()
	var rest []item.Item
	gated := false
	for _, it := range left {
		if g, err := item.Gate(it); err == nil && g.Subject == alice {
			gated = true
			if want := now.Add(lifecycle.GateFor).Seconds(); g.ExpiresAt > want || g.ExpiresAt < want-300 {
				t.Errorf("the gate lasts until %d, want 48 h from the end, %d", g.ExpiresAt, want)
			}
			continue
		}
		rest = append(rest, it)
	}
	if diff := cmp.Diff(names(neighbours()), names(rest)); diff != "" || !gated {
		t.Errorf("gate: %v; left (-want +got):\n%s", gated, diff)
	}
}

func (w *world) purge(ctx context.Context) (lifecycle.Receipt, error) {
	if _, err := w.purger.Ask(ctx, alice, "ops", 0); err != nil {
		return lifecycle.Receipt{}, err
	}
	return w.purger.Run(ctx, alice)
}

func removed(r lifecycle.Receipt) (n int64) {
	for _, c := range r.Removed {
		n += c.Items
	}
	return n
}

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

// dieAt has the process die at the n-th write from here: stored or not, nobody hears.
func (w *world) dieAt(n int, stored bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	from := w.faulty.Attempted()
	w.faulty.Writes = func(c storetest.Call) storetest.Fault {
		if c.N != from+n {
			return storetest.Fine
		}
		cancel()
		if stored {
			return storetest.LoseAnswer
		}
		return storetest.Lose
	}
	return ctx, cancel
}

func TestPurge_InterruptedAtAnyWriteIsTakenUpWhereItWas(t *testing.T) {
	for _, n := range []int{0, 1, 25, 26, 100, 101} {
		for _, stored := range []bool{false, true} {
			for at := 0; ; at++ {
				w := newWorld(t, employee)
				w.store(belongings(alice, n)...)
				w.store(registered()...)
				w.store(neighbours()...)
				ctx, cancel := w.dieAt(at, stored)
				_, err := w.purge(ctx)
				died := ctx.Err() != nil
				cancel()
				w.faulty.Writes = nil
				if !died && err != nil {
					t.Fatal(err)
				}
				receipt, err := w.purge(context.Background())
				if err != nil {
					t.Fatalf("%d items, died at write %d: %v", n, at, err)
				}
				wantPurged(t, w.items(), w.now())
				if t.Failed() {
					t.Fatalf("%d items, died at write %d, stored %v; receipt %+v", n, at, stored, receipt)
				}
				if !died {
					if at < 10 {
						t.Fatalf("the purge of %d items took %d writes only", n, at)
					}
					break
				}
			}
		}
	}
}

func TestPurge_OfTenThousandItemsDyingAtEveryFourthWriteComesToItsEnd(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 10_000)...)
	w.store(registered()...)
	w.store(neighbours()...)
	if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
		t.Fatal(err)
	}
	deaths := 0
	for {
		ctx, cancel := w.dieAt(3, deaths%2 == 0) // three writes get through, the next is its last
		_, err := w.purger.Run(ctx, alice)
		died := ctx.Err() != nil
		cancel()
		if !died {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		deaths++
		if deaths > 5000 {
			t.Fatal("it gets nowhere")
		}
	}
	w.faulty.Writes = nil
	wantPurged(t, w.items(), w.now())
	if deaths < 100 {
		t.Errorf("it died %d times only", deaths)
	}
}

func TestPurge_GoesOnThroughThrottlesUnprocessedItemsAndLostAnswers(t *testing.T) {
	for seed := range uint64(30) {
		w := newWorld(t, employee)
		w.store(belongings(alice, 300)...)
		w.store(registered()...)
		w.store(neighbours()...)
		w.faulty.Writes = storetest.Sometimes(newRand(seed), .4)
		receipt, err := w.purge(t.Context())
		for tries := 0; err != nil; tries++ {
			if tries > 100 {
				t.Fatal(err)
			}
			receipt, err = w.purge(t.Context())
		}
		w.faulty.Land()
		wantPurged(t, w.items(), w.now())
		if removed(receipt) < 300 {
			t.Errorf("seed %d: the receipt says %d, want 302 or more", seed, removed(receipt))
		}
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

func TestPurge_TwoAtOnceDoNoHarm(t *testing.T) {
	w := newWorld(t, employee)
	w.store(belongings(alice, 400)...)
	w.store(registered()...)
	w.store(neighbours()...)
	done := make(chan error)
	for range 2 {
		go func() {
			_, err := w.purge(context.Background())
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	wantPurged(t, w.items(), w.now())
}

func TestPurge_OnDynamoDB(t *testing.T) {
	client, err := dynamo.NewClient(t.Context(), "", ddblocal.ForTest(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 26, 101} {
		table := dynamo.New(client, "purge-"+crand.Text())
		if err := table.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, employee)
		w.faulty.Store, w.purger.Rand = table, crand.Reader
		for _, it := range slices.Concat(belongings(alice, n), registered(), neighbours()) {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.purger.Ask(t.Context(), alice, "ops", 0); err != nil {
			t.Fatal(err)
		}
		for deaths := 0; ; deaths++ {
			ctx, cancel := w.dieAt(3, deaths%2 == 0)
			_, err := w.purger.Run(ctx, alice)
			died := ctx.Err() != nil
			cancel()
			if !died && err != nil || deaths > 100 {
				t.Fatal(deaths, err)
			}
			if !died {
				break
			}
		}
		left, _, err := table.Scan(t.Context(), keys.Key{})
		if err != nil {
			t.Fatal(err)
		}
		wantPurged(t, left, w.now())
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
		got, err := w.purger.EraseSpan(t.Context(), w.table, c.span)
		if err != nil || got != c.want || len(w.items()) != c.left {
			t.Errorf("%+v: %+v, %v, %d left; want %+v and %d", c.span, got, err, len(w.items()), c.want, c.left)
		}
	}
}
