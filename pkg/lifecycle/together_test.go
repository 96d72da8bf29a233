package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// turns lets workers make one request at a time, in an order that is chosen.
type turns struct {
	storetest.Store
	ready chan int // a worker waits for its turn, or has ended
	go_   [2]chan struct{}
}

type workerKey struct{}

// wait is a worker's pause before each request.
func (t *turns) wait(ctx context.Context) {
	if n, ok := ctx.Value(workerKey{}).(int); ok {
		t.ready <- n
		<-t.go_[n]
	}
}

func (t *turns) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	t.wait(ctx)
	return t.Store.GetItem(ctx, k)
}

func (t *turns) List(ctx context.Context, l lifecycle.Listing) (lifecycle.ListPage, error) {
	t.wait(ctx)
	return t.Store.List(ctx, l)
}

func (t *turns) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	t.wait(ctx)
	return t.Store.Commit(ctx, tx)
}

func (t *turns) Erase(ctx context.Context, these []keys.Key) ([]keys.Key, model.Answer, error) {
	t.wait(ctx)
	return t.Store.Erase(ctx, these)
}

// together runs two workers, each request in the order that next chooses among those
// who wait.
func (t *turns) together(work [2]func(context.Context), next func(waiting []int) int) {
	t.ready = make(chan int)
	for n, do := range work {
		t.go_[n] = make(chan struct{})
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
		t.go_[n] <- struct{}{}
	}
}

// act is something that somebody does to subjects, and what it is told.
type act struct {
	name string
	do   func(context.Context, *world) string
}

func changing(name string, change func(context.Context, *world) (lifecycle.Outcome, error)) act {
	return act{name, func(ctx context.Context, w *world) string {
		out, err := change(ctx, w)
		if err != nil {
			return err.Error()
		}
		return string(out.Verdict) + out.Constraint
	}}
}

var (
	createAlice = changing("create", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Create(ctx, alice, someone)
	})
	createBob = changing("create another with the same values", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Create(ctx, bob, someone)
	})
	updateAlice = changing("update", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Update(ctx, alice, fields("email", "new@acme.com"), 0)
	})
	updateExpecting = changing("update of version 1", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Update(ctx, alice, fields("last", "C", "team", ""), 1)
	})
	deleteAlice = changing("delete", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Delete(ctx, alice, 0)
	})
	restoreAlice = changing("restore", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Restore(ctx, alice, 0)
	})
	removeAlice = changing("remove", func(ctx context.Context, w *world) (lifecycle.Outcome, error) {
		return w.Service.Remove(ctx, alice, 0)
	})
	purgeAlice = act{"purge", func(ctx context.Context, w *world) string {
		if _, err := w.purger.Ask(ctx, alice, "ops", 0); err != nil {
			return err.Error()
		}
		if _, err := w.purger.Run(ctx, alice); err != nil {
			return err.Error()
		}
		return "purged"
	}}
	cleanAlice = act{"clean up after expiry", func(ctx context.Context, w *world) string {
		if err := w.Expired(ctx, &w.dead); err != nil {
			return err.Error()
		}
		return "cleaned"
	}}
)

// settings are what stands before two act at once.
var settings = map[string]func(*world){
	"nothing":  func(*world) {},
	"standing": func(w *world) { w.verdict(w.Service.Create(context.Background(), alice, someone)) },
	"deleted": func(w *world) {
		w.verdict(w.Service.Create(context.Background(), alice, someone))
		w.verdict(w.Service.Delete(context.Background(), alice, 0))
	},
	"expired": func(w *world) {
		w.verdict(w.Service.Create(context.Background(), alice, someone))
		w.dead = *w.verdict(w.Service.Delete(context.Background(), alice, 0)).Profile
		w.advance(employee.DeletedFor)
		w.table.Expire(w.now())
	},
}

// result is what two were told, and what stands then.
func (w *world) result(said [2]string) string {
	var all []string
	for _, it := range w.items() {
		text := it.Key().PK + " " + it.Key().SK
		if p, err := item.Profile(it); err == nil {
			text += fmt.Sprint(" v", p.Version, mapOf(p.Attrs))
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return said[0] + " | " + said[1] + "\n" + strings.Join(all, "\n")
}

// TestTwoAtOnce_AreOneAfterTheOther has two act on the same subjects with their
// requests in any order. What both are told, and what stands then, must be as if one
// had been done before the other began.
func TestTwoAtOnce_AreOneAfterTheOther(t *testing.T) {
	for _, pair := range []struct {
		before string
		acts   [2]act
	}{
		{"nothing", [2]act{createAlice, createAlice}},
		{"nothing", [2]act{createAlice, createBob}},
		{"nothing", [2]act{createAlice, purgeAlice}},
		{"standing", [2]act{deleteAlice, deleteAlice}},
		{"standing", [2]act{deleteAlice, updateAlice}},
		{"standing", [2]act{deleteAlice, updateExpecting}},
		{"standing", [2]act{updateAlice, updateExpecting}},
		{"standing", [2]act{updateAlice, createBob}},
		{"standing", [2]act{deleteAlice, createBob}},
		{"standing", [2]act{deleteAlice, restoreAlice}},
		{"standing", [2]act{updateAlice, purgeAlice}},
		{"deleted", [2]act{restoreAlice, restoreAlice}},
		{"deleted", [2]act{restoreAlice, createBob}},
		{"deleted", [2]act{restoreAlice, deleteAlice}},
		{"deleted", [2]act{restoreAlice, removeAlice}},
		{"deleted", [2]act{restoreAlice, purgeAlice}},
		{"deleted", [2]act{restoreAlice, createAlice}},
		{"expired", [2]act{createAlice, cleanAlice}},
		{"expired", [2]act{createBob, cleanAlice}},
		{"expired", [2]act{createAlice, purgeAlice}},
	} {
		for _, spec := range []catalog.Profile{employee, reserving} {
			t.Run(fmt.Sprintf("%s: %s and %s, %s", pair.before, pair.acts[0].name, pair.acts[1].name, spec.Release), func(t *testing.T) {
				serial := serialResults(t, spec, settings[pair.before], pair.acts)
				rapid.Check(t, func(rt *rapid.T) {
					w := newWorld(t, spec)
					settings[pair.before](w)
					order := &turns{Store: w.table}
					w.Service.Store, w.purger.Store = order, order
					var said [2]string
					order.together([2]func(context.Context){
						func(ctx context.Context) { said[0] = pair.acts[0].do(ctx, w) },
						func(ctx context.Context) { said[1] = pair.acts[1].do(ctx, w) },
					}, func(waiting []int) int { return rapid.IntRange(0, len(waiting)-1).Draw(rt, "turn") })
					if got := w.result(said); !slices.Contains(serial, got) {
						rt.Fatalf("together they come to\n%s\n\none after the other to\n%s", got, strings.Join(serial, "\n\nor\n"))
					}
					if wrong := unsound(context.Background(), w.table, &w.spec, w.now(), alice, bob); len(wrong) > 0 && pair.before != "expired" {
						rt.Fatal(errors.New(strings.Join(wrong, "\n")))
					}
				})
			})
		}
	}
}

// serialResults are what comes of either order.
func serialResults(t *testing.T, spec catalog.Profile, before func(*world), acts [2]act) (all []string) {
	for first := range 2 {
		w := newWorld(t, spec)
		before(w)
		var said [2]string
		for _, n := range []int{first, 1 - first} {
			said[n] = acts[n].do(context.Background(), w)
		}
		all = append(all, w.result(said))
		// A purge is no single moment: while it is under way the other is told so.
		if acts[1].name == purgeAlice.name {
			all = append(all, w.result([2]string{string(lifecycle.Gone), said[1]}))
		}
	}
	return all
}
