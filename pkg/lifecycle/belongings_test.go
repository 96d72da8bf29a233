package lifecycle_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storetest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
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
