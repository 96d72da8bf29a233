package aggregate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// history is some weeks of events of several series, with corrections, deletions and
// what was put again: the table as it ends, and every record on the way there.
func (w *world) history(seed uint64, n int) []model.Change {
	draw := rand.New(rand.NewPCG(seed, 0))
	var live []model.EventKey
	for i := range n {
		switch k := draw.IntN(20); {
		case k == 0 && len(live) > 0:
			one := draw.IntN(len(live))
			w.series = live[one].Series
			w.delete(live[one].Order)
			live = append(live[:one], live[one+1:]...)
		case k == 1 && len(live) > 0:
			one := live[draw.IntN(len(live))]
			w.series = one.Series
			w.correct(one.Order, fmt.Sprint(1000+i)) // never the value it has
		default:
			w.series = w.kind.Series(fmt.Sprint("d", draw.IntN(3)), "", model.Order{})
			o := model.Order{At: noon.Add(-time.Duration(draw.IntN(20*24*60)) * time.Minute), ID: fmt.Sprint(i)}
			w.put(o, fmt.Sprint(draw.IntN(1000)))
			live = append(live, w.key(o))
		}
	}
	return w.changes()
}

func TestSettle_AnyCutOfTheDeliveriesLeavesTheSameBytes(t *testing.T) {
	for _, size := range []int{1, 7, 100, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newWorld(t)
			changes := w.history(7, 400)
			for rest := changes; len(rest) > 0; rest = rest[min(size, len(rest)):] {
				w.settleAll(rest[:min(size, len(rest))])
			}
			w.wantRecount()
		})
	}
}

func TestSettle_DeliveringAllTwiceChangesNoByte(t *testing.T) {
	w := newWorld(t)
	changes := w.history(8, 400)
	w.settleAll(changes)
	before := w.images()
	w.settleAll(changes)
	w.wantImages(before)
	w.wantRecount()
}

func TestSettle_AnyOrderOfTheDeliveriesLeavesTheSameBytes(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t)
		changes := w.history(9, 300)
		draw := rand.New(rand.NewPCG(seed, 1))
		draw.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		for len(changes) > 0 {
			n := min(len(changes), 1+draw.IntN(60))
			w.settleAll(changes[:n])
			changes = changes[n:]
		}
		w.wantRecount()
	}
}

func TestSettle_ManyPiecesAreOneBatch(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 3
	w.settleAll(w.history(10, 300))
	w.wantRecount()
}

func TestSettle_ExpiryChangesNoByte(t *testing.T) {
	w := newWorld(t)
	w.settleAll(w.history(11, 200))
	before := w.images()
	w.advance(31 * tier.Day24) // raw has expired, no row has
	if gone := w.Expire(w.now()); gone == 0 {
		t.Fatal("nothing expired")
	}
	removals := w.changes()
	report := w.settleAll(removals)
	if report.Expired != len(removals) || report.Looks != 0 {
		t.Errorf("%d removals by TTL: %d dropped, %d looks; want all dropped, none looked at", len(removals), report.Expired, report.Looks)
	}
	for name, im := range w.images() { // empty rows expire with the events
		if im.Empty {
			t.Errorf("%s is empty", name)
		}
		if want := before[name]; !want.Empty && string(im.Summary) != string(want.Summary) {
			t.Errorf("%s changed", name)
		}
	}
}

func TestSettle_NothingToDoIsNothingDone(t *testing.T) {
	w := newWorld(t)
	if r := w.settleAll(nil); r.Looks != 0 || r.Reads != 0 || r.Lag != 0 {
		t.Errorf("an empty batch: %+v", r)
	}
}

func TestSettle_LagIsNowMinusTheNewestArrival(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-01T00:00:00Z", ""), "1") // late by event time, but just arrived
	w.advance(7 * time.Second)
	if r := w.settle(); r.Lag != 7*time.Second {
		t.Errorf("lag %s, want 7s", r.Lag)
	}
}

func TestSettle_AllTiersOfABatchCostOneLookEach(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.put(model.Order{At: noon.Add(time.Duration(i) * time.Minute)}, "1")
	}
	r := w.settle()
	if r.Looks != 3 || r.Written != 3 || r.Writes != 3 || r.Reads != 6 {
		t.Errorf("60 events of one hour: %d looks, %d rows written by %d requests, %d reads; want 3, 3, 3, 6", r.Looks, r.Written, r.Writes, r.Reads)
	}
}

var _ store = (*memory.Table)(nil)
