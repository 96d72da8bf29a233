package lifecycle_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newItems returns n items of a subject, of all classes in turn.
func newItems(s model.Subject, n int) (all []item.Item) {
	classes := []func(i int) item.Item{
		func(i int) item.Item { return newEvent(s, i) },
		func(i int) item.Item { return newEvent(s, i) },
		func(i int) item.Item { return newRow(s, i, false) },
		func(i int) item.Item {
			c := model.Latest{Series: newSeries(s, i), Ordered: true, Order: model.Order{At: noon}}
			return item.FromLatest(&c)
		},
		func(i int) item.Item {
			return minimalItem(keys.Key{PK: keys.SubjectPartition(s), SK: fmt.Sprint("ALERT#", i)})
		},
		func(i int) item.Item {
			return item.FromQuarantined(
				&storage.Quarantined{ID: fmt.Sprint(i), Source: "iot", Subject: s, ArrivedAt: noon})
		},
		func(i int) item.Item {
			v := model.ProfileVersion{Profile: model.Profile{Subject: s, Version: int64(i + 1),
				Generation: model.Generation{1}}, Change: model.ProfileUpdated}
			return item.FromProfileVersion(&v)
		},
		func(i int) item.Item {
			return item.FromListedSeries(storage.ListedSeries{Series: model.Series{Subject: s, Kind: "READING",
				Stream: fmt.Sprint(i)}, First: noon, Last: noon})
		},
	}
	for i := range n {
		all = append(all, classes[i%len(classes)](i))
	}
	return all
}

// newSeries returns the i-th series of a subject. The series are in three shards and
// several streams.
func newSeries(s model.Subject, i int) model.Series {
	return model.Series{Subject: s, Kind: []string{"READING", "VIEW"}[i%2], Stream: fmt.Sprint(i / 8),
		Shard: i % 4}
}

func newEvent(s model.Subject, i int) item.Item {
	e := model.Event{Series: newSeries(s, i), Order: model.Order{At: noon.Add(time.Duration(i) * time.Second)},
		ArrivedAt: noon,
		ExpiresAt: noon.Add(30 * tier.Day24).Seconds()}
	return item.FromEvent(&e)
}

func newRow(s model.Subject, i int, empty bool) item.Item {
	u := []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}[i%4]
	r := rollup.Row{Key: rollup.Key{Series: newSeries(s, i), Tier: u.String(), Start: u.BucketAt(noon).Start},
		Fold: *rollup.NewFold(&rollup.Spec{}), Rev: rollup.Rev{1}, V: item.Version, WrittenAt: noon, Empty: empty, ExpiresAt: noon.Add(24 * time.Hour).Seconds()}
	it, err := item.FromRow(&r)
	if err != nil {
		panic(err)
	}
	return it
}

func minimalItem(k keys.Key) item.Item {
	return item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK},
		"n": {Type: item.N, S: "1"}}
}

// otherItems returns items that a purge of alice must keep: items of other subjects with
// similar names, and items of other programs in her partition.
func otherItems() (all []item.Item) {
	for _, id := range []string{"alic", "alice2", "alice#1", "Alice", "1"} {
		all = append(all, newEvent(subject(id), 1), newEvent(subject(id), 2), newRow(subject(id), 2, false))
	}
	other := model.Subject{Type: "EMPLOYEE2", ID: "alice"}
	own := keys.SubjectPartition(alice)
	bobs := storage.Sentinel{Partition: tablekeys.Unique(alice.Type, "email", "talice@acme.com").PK, Owner: bob,
		Generation: model.Generation{9}}
	all = append(all, item.FromListedSeries(storage.ListedSeries{Series: model.Series{Subject: subject("alice2"),
		Kind: "READING"}, First: noon, Last: noon}))
	all = append(all, newEvent(other, 1), item.FromSentinel(&bobs),
		minimalItem(keys.Key{PK: own, SK: "ORDER#1"}), minimalItem(keys.Key{PK: own, SK: "METADATA2"}),
		minimalItem(keys.Key{PK: own, SK: "EVENTS"}),
		minimalItem(keys.Key{PK: own + "#2", SK: "AGGREGATE"}),
		newRow(alice, 3, true)) // an empty rollup, which expires by itself
	return all
}

// profileItems returns alice's profile and a sentinel that she holds. Her profile lists a
// second sentinel, which another subject holds.
func profileItems() (all []item.Item) {
	p := model.Profile{Subject: alice, Version: 3, Generation: model.Generation{1}, Attrs: aliceFields,
		Sentinels: []string{
			tablekeys.Unique(alice.Type, "email", "talice@acme.com").PK,
			tablekeys.Unique(alice.Type, "name", "tAlice", "tB").PK,
		}}
	s := storage.Sentinel{Partition: p.Sentinels[1], Owner: alice, Generation: p.Generation}
	return []item.Item{item.FromProfile(&p), item.FromSentinel(&s)}
}

func (w *fixture) store(items ...item.Item) {
	w.Helper()
	for _, it := range items {
		if err := w.table.PutItem(context.Background(), it); err != nil {
			w.Fatal(err)
		}
	}
}

// wantPurged fails the test unless exactly the otherItems and the purge lock are left.
func wantPurged(t testing.TB, left []item.Item, now model.Time) {
	t.Helper()
	var rest []item.Item
	locked := false
	for _, it := range left {
		if g, err := item.PurgeLock(it); err == nil && g.Subject == alice {
			locked = true
			if want := now.Add(lockDuration).Seconds(); g.ExpiresAt > want || g.ExpiresAt < want-300 {
				t.Errorf("the purge lock expires at %d, want 48 h after the end, %d", g.ExpiresAt, want)
			}
			continue
		}
		rest = append(rest, it)
	}
	if diff := cmp.Diff(names(otherItems()), names(rest)); diff != "" || !locked {
		t.Errorf("locked: %v; remaining items (-want +got):\n%s", locked, diff)
	}
}

func (w *fixture) purge(ctx context.Context) (lifecycle.Receipt, error) {
	if _, err := w.purger.Request(ctx, alice, "ops", 0); err != nil {
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

// crashAt returns a context that ends at the n-th write from now on. The write is stored
// or lost; its response is lost in both cases.
func (w *fixture) crashAt(n int, stored bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	from := w.faulty.WriteCount()
	w.faulty.Writes = func(c storetest.Call) storetest.WriteFault {
		if c.N != from+n {
			return storetest.NoFault
		}
		cancel()
		if stored {
			return storetest.LoseResponse
		}
		return storetest.LoseRequest
	}
	return ctx, cancel
}
