package faults

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// steps are changes of two events of one hour: a at 10:00 and b at 10:30.
var steps = map[string]func(*world){
	"nothing":          func(*world) {},
	"put a":            func(w *world) { w.put(ten, "a", "1") },
	"put b":            func(w *world) { w.put(half, "b", "9") },
	"put c":            func(w *world) { w.put(eleven, "c", "5") },
	"delete a":         func(w *world) { w.delete(ten, "a") },
	"delete b":         func(w *world) { w.delete(half, "b") },
	"correct b":        func(w *world) { w.correct(half, "b", "7") },
	"put a, b":         func(w *world) { w.put(ten, "a", "1"); w.put(half, "b", "9") },
	"delete a, b":      func(w *world) { w.delete(ten, "a"); w.delete(half, "b") },
	"replace b":        func(w *world) { w.delete(half, "b"); w.put(half, "b", "8") },
	"replace b, other": func(w *world) { w.put(half, "b", "8") },
	"delete, settle":   func(w *world) { w.delete(half, "b"); w.settle(); w.put(half, "b", "8") },
}

// Between any two requests of an invocation, a user changes the events and another invocation
// processes the change. Neither is delivered again. The second does not wait for the first one's
// changes of the same item, although the table stream would make it wait.
func TestRecompute_ChangeProcessedBetweenAnyTwoRequests(t *testing.T) {
	for _, c := range []struct{ stored, first, between string }{
		{"nothing", "put b", "put a"},
		{"nothing", "put b", "delete b"},
		{"nothing", "put b", "correct b"},
		{"nothing", "put b", "replace b"},
		{"nothing", "put b", "delete, settle"},
		{"nothing", "put a, b", "delete a, b"},
		{"put a", "put b", "delete b"},
		{"put a", "put b", "correct b"},
		{"put a", "put b", "delete a, b"},
		{"put a", "put b", "put c"},
		{"put a, b", "delete a", "delete b"},
		{"put a, b", "correct b", "delete b"},
		{"put a, b", "delete a, b", "put c"},
		{"put a, b", "delete b", "replace b, other"},
	} {
		t.Run(fmt.Sprintf("%s stored, %s, concurrently %s", c.stored, c.first, c.between), func(t *testing.T) {
			for _, ahead := range []bool{false, true} {
				for n, met := 0, true; met; n++ {
					met = interleave(t, steps[c.stored], steps[c.first], steps[c.between], n, ahead)
				}
			}
		})
	}
}

// interleave reports whether the first invocation made an n-th request. It may read the rows of many
// buckets ahead with one request.
func interleave(t *testing.T, stored, first, between func(*world), n int, ahead bool) (met bool) {
	t.Helper()
	w := newWorld(t)
	stored(w)
	w.settle()
	first(w)
	w.put(eleven, "other", "3") // so that there are two hours to recompute
	changes := w.fresh()
	table := &faulty{store: w.Table, effect: func(r request) effect {
		if r.n == n && !met {
			met = true
			between(w)
			w.settle()
		}
		return fine
	}}
	held := w.aggregator(table)
	if ahead {
		held.Store = together{table}
	}
	if r := held.Process(w.ctx(), changes); len(r.Failures) > 0 {
		t.Fatalf("request %d: %v", n, r.Failures)
	}
	for _, sentence := range differences(w.recount(), w.rows()) {
		t.Errorf("before request %d: %s", n, sentence)
	}
	return met
}

// An invocation crashes while its writes are in transit. They are carried out after all later
// changes have been processed.
func TestRecompute_DelayedWritesChangeNothing(t *testing.T) {
	for _, c := range []struct {
		stored, first string
		then          []string // each processed in its own batch
	}{
		{"put a", "put b", []string{"delete b"}},
		{"put a", "put b", []string{"delete b", "put b"}},
		{"put a", "put b", []string{"correct b"}},
		{"put a", "put b", []string{"delete a, b", "put a, b"}},
		{"put a, b", "delete b", []string{"put b"}},
		{"put a, b", "delete b", []string{"put b", "delete b", "put b"}},
		{"put a, b", "delete a, b", []string{"put a, b"}},
		{"put a, b", "delete a, b", []string{"put c", "put b"}},
		{"nothing", "put b", []string{"delete b", "put b"}},
	} {
		w := newWorld(t)
		steps[c.stored](w)
		w.settle()
		steps[c.first](w)
		changes := w.fresh()
		slow := &late{store: w.Table}
		w.aggregator(slow).Process(w.ctx(), changes)
		w.settleAll(changes) // the batch is delivered again
		for _, step := range c.then {
			steps[step](w)
			w.settle()
		}
		if len(slow.sent) == 0 {
			t.Fatal("no write is in transit")
		}
		for _, land := range slow.sent {
			land()
		}
		w.wantRecount()
	}
}

// late is a table on which the first write of each row is delayed: it is carried out after the
// invocation has continued without a response.
type late struct {
	store
	sent []func()
}

func (l *late) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	copied := *row
	l.sent = append(l.sent, func() { _, _ = l.store.PutRow(context.WithoutCancel(ctx), &copied, prev) })
	if len(l.sent) > 3 {
		return l.store.PutRow(ctx, row, prev)
	}
	return storage.Unknown, nil
}

// A read that is not consistent returns an older state.
func TestRecompute_ReadsChildrenConsistently(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "", "1")
	w.settle()
	before := memory.New(w.now)
	for _, it := range w.items() {
		if err := before.PutItem(w.ctx(), it); err != nil {
			t.Fatal(err)
		}
	}
	w.put(half, "", "9")
	w.put(eleven, "", "5")
	agg := w.aggregator(&lagging{store: w.Table, before: before})
	if r := agg.Process(w.ctx(), w.fresh()); len(r.Failures) > 0 {
		t.Fatal(r.Failures)
	}
	w.wantRecount()
}

type lagging struct {
	store
	before store
}

func (l *lagging) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if !r.Consistent {
		return l.before.Events(ctx, r)
	}
	return l.store.Events(ctx, r)
}

func (l *lagging) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if !r.Consistent {
		return l.before.Rows(ctx, u, r)
	}
	return l.store.Rows(ctx, u, r)
}

// A move in time is a deletion and a put. In whatever order their records are processed, the event
// leaves its old buckets and is in the new ones.
func TestMove_EventLeavesOneBucketAndEntersAnother(t *testing.T) {
	for _, to := range []string{half, eleven, "2026-03-11T00:00:00Z", "2026-02-28T23:59:59.999Z"} {
		for _, order := range [][]int{{0, 1}, {1, 0}, {1, 0, 1, 0}} {
			w := newWorld(t)
			w.put(ten, "stays", "1")
			w.put(ten, "moves", "9")
			w.settle()
			w.delete(ten, "moves")
			w.put(to, "moves", "9")
			changes := w.fresh()
			for _, i := range order {
				w.settleAll(changes[i : i+1])
			}
			w.wantRecount()
			if to != half {
				w.wantRow(tier.Hour, ten, 1, "1", true)
			}
		}
	}
}

// A bucket with more events than fit in one page is read completely.
func TestRecompute_HourOfThousandsOfEventsIsComplete(t *testing.T) {
	w := newWorld(t)
	for i := range 5000 {
		k := w.key("d", ten, fmt.Sprintf("%0200d", i)) // more than a page of 1 MB
		k.At = k.At.Add(time.Duration(i) * 700 * time.Millisecond)
		reply, err := w.Put(w.ctx(), w.event(k, fmt.Sprint(i)))
		w.wantWritten("put", reply.Result, err)
	}
	w.settle()
	w.wantRow(tier.Hour, ten, 5000, "4999", true)
	w.wantRecount()
}
