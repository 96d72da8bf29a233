package query_test

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// now is the reader's clock in every test of this package.
var now = at("2026-04-20T14:30:00Z")

// failer is what both *testing.T and *rapid.T can do.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world is a table in memory and a reader of it.
type world struct {
	t     failer
	kind  *catalog.Kind
	table *memory.Table
	store *counted
	query *query.Service
	revs  uint64
}

func newWorld(t failer, change func(*catalog.Kind)) *world {
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
	store := &counted{Store: table}
	return &world{
		t: t, kind: &made.Kinds[0], table: table, store: store,
		query: &query.Service{Store: store, Now: clock, CursorKey: []byte("a key for tests only")},
	}
}

func shards(n int) func(*catalog.Kind) { return func(k *catalog.Kind) { k.Shards = n } }

// counted counts the requests of a reader.
type counted struct {
	query.Store
	requests atomic.Int64
}

func (c *counted) Events(ctx context.Context, r model.Range) (model.EventPage, error) {
	c.requests.Add(1)
	return c.Store.Events(ctx, r)
}

func (w *world) series() query.Series { return query.Series{Kind: w.kind, Subject: "sensor_01"} }

// reading is an event of sensor_01 with one measure.
func (w *world) reading(when model.Time, id string, temperature int64, expiresAt int64) model.Event {
	order := model.Order{At: when, ID: id}
	attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(temperature))}}
	return model.Event{
		Series: w.kind.Series("sensor_01", "", order), Order: order, Attrs: attrs,
		Hash: model.HashOf(attrs), ArrivedAt: when, ExpiresAt: expiresAt,
	}
}

func (w *world) put(e model.Event) {
	w.t.Helper()
	reply, err := w.table.Put(context.Background(), e)
	if err != nil || reply.Answer != model.Written {
		w.t.Fatalf("put %s: %v, %v", e.At, reply.Answer, err)
	}
}

// row is the rollup of events, which all lie in one bucket and one shard.
func (w *world) row(unit tier.Unit, expiresAt int64, events ...model.Event) rollup.Row {
	fold := rollup.NewFold(w.kind.Spec())
	for i := range events {
		fold.AddEvent(&events[i])
	}
	key := rollup.Key{Series: events[0].Series, Tier: unit.String(), Start: unit.BucketOf(events[0].At).Start}
	return rollup.Row{Key: key, Fold: *fold, ExpiresAt: expiresAt, WrittenAt: now, V: 1}
}

func (w *world) storeRow(r rollup.Row) {
	w.t.Helper()
	w.revs++
	binary.BigEndian.PutUint64(r.Rev[:], w.revs)
	if answer, err := w.table.PutRow(context.Background(), &r, rollup.Rev{}); err != nil || answer != model.Written {
		w.t.Fatalf("put row %s: %v, %v", r.Key.Start, answer, err)
	}
}

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		panic(err)
	}
	return t
}

func (w *world) all() query.History {
	return query.History{Series: w.series(), From: model.MinTime, To: model.MaxTime + 1}
}

func (w *world) orders(q query.History) (orders []model.Order) {
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
