package query_test

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// now is the clock of all tests.
var now = at("2026-04-20T14:30:00Z")

// testingT is implemented by *testing.T and *rapid.T.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// fixture is a table in memory and a Service that reads it.
type fixture struct {
	t     testingT
	kind  *catalog.Kind
	table *memory.Table
	store *countingStore
	query *query.Service
	revs  uint64
}

func newFixture(t testingT, change func(*catalog.Kind)) *fixture {
	t.Helper()
	row := iot.Readings
	if change != nil {
		change(&row)
	}
	made, err := catalog.New(row)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	clock := func() model.Time { return now }
	table := memory.New(clock)
	store := &countingStore{Store: table}
	return &fixture{
		t: t, kind: &made.Kinds[0], table: table, store: store,
		query: &query.Service{Store: store, Now: clock, CursorKey: []byte("a key for tests only")},
	}
}

func shards(n int) func(*catalog.Kind) { return func(k *catalog.Kind) { k.Shards = n } }

// countingStore counts requests for events, and keeps the limit of the last.
type countingStore struct {
	query.Store
	requests, limit atomic.Int64
}

func (c *countingStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	c.requests.Add(1)
	c.limit.Store(int64(r.Limit))
	return c.Store.Events(ctx, r)
}

func (w *fixture) series() query.Series { return query.Series{Kind: w.kind, Subject: "sensor_01"} }

// reading returns an event of sensor_01 with one measure.
func (w *fixture) reading(when model.Time, id string, temperature int64, expiresAt int64) model.Event {
	order := model.Order{At: when, ID: id}
	attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(temperature))}}
	return model.Event{
		Series: w.kind.Series("sensor_01", "", order), Order: order, Attrs: attrs,
		Hash: model.HashAttrs(attrs), ArrivedAt: when, ExpiresAt: expiresAt,
	}
}

func (w *fixture) put(e model.Event) {
	w.t.Helper()
	stored, err := w.table.Put(context.Background(), e)
	if err != nil || stored.Result != storage.Written {
		w.t.Fatalf("put %s: %v, %v", e.At, stored.Result, err)
	}
}

// row returns the rollup of events of one bucket and shard.
func (w *fixture) row(unit tier.Unit, expiresAt int64, events ...model.Event) rollup.Row {
	fold := rollup.NewFold(w.kind.Spec())
	for i := range events {
		fold.AddEvent(&events[i])
	}
	key := rollup.Key{Series: events[0].Series.WithoutShard(), Tier: unit.String(),
		Start: unit.BucketAt(events[0].At).Start}
	return rollup.Row{Key: key, Fold: *fold, ExpiresAt: expiresAt, WrittenAt: now, V: 1}
}

func (w *fixture) storeRow(r rollup.Row) {
	w.t.Helper()
	w.revs++
	binary.BigEndian.PutUint64(r.Rev[:], w.revs)
	if result, err := w.table.PutRow(context.Background(), &r, rollup.Rev{}); err != nil ||
		result != storage.Written {
		w.t.Fatalf("put row %s: %v, %v", r.Key.Start, result, err)
	}
}

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func (w *fixture) all() query.History {
	return query.History{Series: w.series(), From: model.MinTime, To: model.MaxTime + 1}
}

func (w *fixture) orders(q query.History) (orders []model.Order) {
	w.t.Helper()
	for e, err := range w.query.EachEvent(context.Background(), q) {
		if err != nil {
			w.t.Fatalf("history: %v", err)
		}
		orders = append(orders, e.Order)
	}
	return orders
}

const hour = model.Time(time.Hour / time.Millisecond)

func requireNoError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
