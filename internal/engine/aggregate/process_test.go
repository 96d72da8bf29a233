package aggregate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// history stores some weeks of events of several series, with corrections and deletions, and
// returns all changes.
func (w *world) history(seed uint64, n int) []storage.Change {
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
			w.correct(one.Order, fmt.Sprint(1000+i)) // always another value
		default:
			w.series = w.kind.Series(fmt.Sprint("d", draw.IntN(3)), "", model.Order{})
			o := model.Order{At: noon.Add(-time.Duration(draw.IntN(20*24*60)) * time.Minute), ID: fmt.Sprint(i)}
			w.put(o, fmt.Sprint(draw.IntN(1000)))
			live = append(live, w.key(o))
		}
	}
	return w.changes()
}

func TestProcess_AnyBatchSizeGivesTheSameBytes(t *testing.T) {
	for _, size := range []int{1, 7, 100, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			w := newWorld(t)
			changes := w.history(7, 400)
			for rest := changes; len(rest) > 0; rest = rest[min(size, len(rest)):] {
				w.processAll(rest[:min(size, len(rest))])
			}
			w.wantRecount()
		})
	}
}

func TestProcess_DeliveringTwiceChangesNoByte(t *testing.T) {
	w := newWorld(t)
	changes := w.history(8, 400)
	w.processAll(changes)
	before := w.images()
	w.processAll(changes)
	w.wantImages(before)
	w.wantRecount()
}

func TestProcess_AnyOrderGivesTheSameBytes(t *testing.T) {
	for seed := range uint64(5) {
		w := newWorld(t)
		changes := w.history(9, 300)
		draw := rand.New(rand.NewPCG(seed, 1))
		draw.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		for len(changes) > 0 {
			n := min(len(changes), 1+draw.IntN(60))
			w.processAll(changes[:n])
			changes = changes[n:]
		}
		w.wantRecount()
	}
}

func TestProcess_ManyChunksEqualOneBatch(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.Buckets = 3
	w.processAll(w.history(10, 300))
	w.wantRecount()
}

func TestProcess_ExpiryChangesNoByte(t *testing.T) {
	w := newWorld(t)
	w.processAll(w.history(11, 200))
	before := w.images()
	w.advance(31 * tier.Day24) // the events have expired, no row has
	if gone := w.table.Expire(w.now()); gone == 0 {
		t.Fatal("nothing expired")
	}
	removals := w.changes()
	report := w.processAll(removals)
	if report.Expired != len(removals) || report.Recomputed != 0 {
		t.Errorf("%d removals by TTL: %d dropped, %d recomputations; want all dropped and none", len(removals),
			report.Expired, report.Recomputed)
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

func TestProcess_EmptyBatchDoesNothing(t *testing.T) {
	w := newWorld(t)
	if r := w.processAll(nil); r.Recomputed != 0 || r.Reads != 0 || r.Lag != 0 {
		t.Errorf("an empty batch: %+v", r)
	}
}

func TestProcess_LagIsNowMinusTheNewestArrival(t *testing.T) {
	w := newWorld(t)
	w.put(order("2026-03-01T00:00:00Z", ""), "1") // an old event that just arrived
	w.advance(7 * time.Second)
	if r := w.process(); r.Lag != 7*time.Second {
		t.Errorf("lag %s, want 7s", r.Lag)
	}
}

func TestProcess_EachTierOfABatchCostsOneRecomputation(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		w.put(model.Order{At: noon.Add(time.Duration(i) * time.Minute)}, "1")
	}
	r := w.process()
	if r.Recomputed != 3 || r.Written != 3 || r.Writes != 3 || r.Reads != 6 {
		t.Errorf("60 events of one hour: %d recomputations, %d rows written by %d requests, %d reads; "+
			"want 3, 3, 3, 6", r.Recomputed, r.Written, r.Writes, r.Reads)
	}
}

var _ store = (*memory.Table)(nil)
