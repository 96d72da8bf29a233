package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// scheduler lets two workers send one request at a time, in a chosen order.
type scheduler struct {
	storetest.Store
	ready  chan int // n: worker n waits for its turn; -1-n: worker n has ended
	resume [2]chan struct{}
}

var (
	_ lifecycle.Store  = (*scheduler)(nil)
	_ lifecycle.Eraser = (*scheduler)(nil)
)

type workerKey struct{}

// wait blocks a worker before each request until it is its turn.
func (t *scheduler) wait(ctx context.Context) {
	if n, ok := ctx.Value(workerKey{}).(int); ok {
		t.ready <- n
		<-t.resume[n]
	}
}

func (t *scheduler) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	t.wait(ctx)
	return t.Store.GetItem(ctx, k)
}

func (t *scheduler) List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error) {
	t.wait(ctx)
	return t.Store.List(ctx, l)
}

func (t *scheduler) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	t.wait(ctx)
	return t.Store.Commit(ctx, tx)
}

func (t *scheduler) Erase(ctx context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	t.wait(ctx)
	return t.Store.Erase(ctx, items)
}

// run runs two workers. Before each request, next chooses one of the waiting workers.
func (t *scheduler) run(work [2]func(context.Context), next func(waiting []int) int) {
	t.ready = make(chan int)
	for n, do := range work {
		t.resume[n] = make(chan struct{})
		go func() {
			do(context.WithValue(context.Background(), workerKey{}, n))
			t.ready <- -1 - n
		}()
	}
	var waiting []int
	for running := 2; running > 0; {
		for len(waiting) < running {
			if n := <-t.ready; n >= 0 {
				waiting = append(waiting, n)
			} else {
				running--
			}
		}
		if running == 0 {
			return
		}
		slices.Sort(waiting)
		i := next(waiting)
		n := waiting[i]
		waiting = slices.Delete(waiting, i, i+1)
		t.resume[n] <- struct{}{}
	}
}

// operation is a change or a purge; do returns its outcome as text.
type operation struct {
	name string
	do   func(context.Context, *fixture) string
}

func changeOp(name string, change func(context.Context, *fixture) (lifecycle.Result, error)) operation {
	return operation{name, func(ctx context.Context, w *fixture) string {
		out, err := change(ctx, w)
		if err != nil {
			return err.Error()
		}
		return string(out.Outcome) + out.Constraint
	}}
}

var (
	createAlice = changeOp("create", func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
		return w.Service.Create(ctx, alice, aliceFields)
	})
	createBob = changeOp("create bob with the same values",
		func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
			return w.Service.Create(ctx, bob, aliceFields)
		})
	updateAlice = changeOp("update", func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
		return w.Service.Update(ctx, alice, fields("email", "new@acme.com"), 0)
	})
	updateExpecting = changeOp("update of version 1",
		func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
			return w.Service.Update(ctx, alice, fields("last", "C", "team", ""), 1)
		})
	deleteAlice = changeOp("delete", func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
		return w.Service.Delete(ctx, alice, 0)
	})
	restoreAlice = changeOp("restore", func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
		return w.Service.Restore(ctx, alice, 0)
	})
	removeAlice = changeOp("remove", func(ctx context.Context, w *fixture) (lifecycle.Result, error) {
		return w.Service.Remove(ctx, alice, 0)
	})
	purgeAlice = operation{"purge", func(ctx context.Context, w *fixture) string {
		if _, err := w.purger.Request(ctx, alice, "ops", 0); err != nil {
			return err.Error()
		}
		if _, err := w.purger.Run(ctx, alice); err != nil {
			return err.Error()
		}
		return "purged"
	}}
	cleanAlice = operation{"clean up after expiry", func(ctx context.Context, w *fixture) string {
		if err := w.CleanUpExpired(ctx, &w.expired); err != nil {
			return err.Error()
		}
		return "cleaned"
	}}
)

// initialStates are the states before two concurrent operations.
var initialStates = map[string]func(*fixture){
	"none":   func(*fixture) {},
	"active": func(w *fixture) { w.noError(w.Service.Create(context.Background(), alice, aliceFields)) },
	"deleted": func(w *fixture) {
		w.noError(w.Service.Create(context.Background(), alice, aliceFields))
		w.noError(w.Service.Delete(context.Background(), alice, 0))
	},
	"expired": func(w *fixture) {
		w.noError(w.Service.Create(context.Background(), alice, aliceFields))
		w.expired = *w.noError(w.Service.Delete(context.Background(), alice, 0)).Profile
		w.advance(employee.DeletedFor)
		w.table.Expire(w.now())
	},
}

// result returns the outcomes of two operations and the items that exist then, as text.
func (w *fixture) result(results [2]string) string {
	var all []string
	for _, it := range w.items() {
		text := it.Key().PK + " " + it.Key().SK
		if p, err := item.Profile(it); err == nil {
			text += fmt.Sprint(" v", p.Version, attrMap(p.Attrs))
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return results[0] + " | " + results[1] + "\n" + strings.Join(all, "\n")
}

// TestConcurrentChanges_HaveASerialResult runs two operations on the same subjects with
// their requests in any order. Their outcomes and the final items must be the same as of one
// operation after the other.
func TestConcurrentChanges_HaveASerialResult(t *testing.T) {
	for _, pair := range []struct {
		before string
		acts   [2]operation
	}{
		{"none", [2]operation{createAlice, createAlice}},
		{"none", [2]operation{createAlice, createBob}},
		{"none", [2]operation{createAlice, purgeAlice}},
		{"active", [2]operation{deleteAlice, deleteAlice}},
		{"active", [2]operation{deleteAlice, updateAlice}},
		{"active", [2]operation{deleteAlice, updateExpecting}},
		{"active", [2]operation{updateAlice, updateExpecting}},
		{"active", [2]operation{updateAlice, createBob}},
		{"active", [2]operation{deleteAlice, createBob}},
		{"active", [2]operation{deleteAlice, restoreAlice}},
		{"active", [2]operation{updateAlice, purgeAlice}},
		{"deleted", [2]operation{restoreAlice, restoreAlice}},
		{"deleted", [2]operation{restoreAlice, createBob}},
		{"deleted", [2]operation{restoreAlice, deleteAlice}},
		{"deleted", [2]operation{restoreAlice, removeAlice}},
		{"deleted", [2]operation{restoreAlice, purgeAlice}},
		{"deleted", [2]operation{restoreAlice, createAlice}},
		{"expired", [2]operation{createAlice, cleanAlice}},
		{"expired", [2]operation{createBob, cleanAlice}},
		{"expired", [2]operation{createAlice, purgeAlice}},
	} {
		for _, spec := range []catalog.Profile{employee, reserving} {
			t.Run(fmt.Sprintf("%s: %s and %s, %s", pair.before, pair.acts[0].name, pair.acts[1].name, spec.Release),
				func(t *testing.T) {
					serial := serialResults(t, spec, initialStates[pair.before], pair.acts)
					rapid.Check(t, func(rt *rapid.T) {
						w := newFixture(t, spec)
						initialStates[pair.before](w)
						order := &scheduler{Store: w.table}
						w.Service.Store, w.purger.Store = order, order
						var results [2]string
						order.run([2]func(context.Context){
							func(ctx context.Context) { results[0] = pair.acts[0].do(ctx, w) },
							func(ctx context.Context) { results[1] = pair.acts[1].do(ctx, w) },
						}, func(waiting []int) int { return rapid.IntRange(0, len(waiting)-1).Draw(rt, "turn") })
						if got := w.result(results); !slices.Contains(serial, got) {
							rt.Fatalf("concurrent result\n%s\n\nserial results\n%s", got, strings.Join(serial, "\n\nor\n"))
						}
						if wrong := brokenInvariants(context.Background(), w.table, &w.spec, w.now(), alice,
							bob); len(wrong) > 0 && pair.before != "expired" {
							rt.Fatal(errors.New(strings.Join(wrong, "\n")))
						}
					})
				})
		}
	}
}

// serialResults returns the results of both orders.
func serialResults(t *testing.T, spec catalog.Profile, before func(*fixture),
	acts [2]operation) (all []string) {
	for first := range 2 {
		w := newFixture(t, spec)
		before(w)
		var results [2]string
		for _, n := range []int{first, 1 - first} {
			results[n] = acts[n].do(context.Background(), w)
		}
		all = append(all, w.result(results))
		// A purge takes time: an operation during the purge has the outcome Gone.
		if acts[1].name == purgeAlice.name {
			all = append(all, w.result([2]string{string(lifecycle.Gone), results[1]}))
		}
	}
	return all
}
