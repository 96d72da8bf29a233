package repair_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// fixture is a table in memory, a clock that only the test moves, and an aggregator.
type fixture struct {
	*testing.T
	*memory.Table
	clock   atomic.Int64
	catalog *catalog.Catalog
	agg     *aggregate.Aggregator
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{T: t}
	f.clock.Store(int64(timeAt("2026-04-21T12:00:00Z")))
	f.Table = memory.New(f.now)
	var err error
	f.catalog, err = catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.agg = &aggregate.Aggregator{Store: f.Table, QuarantineStore: f.Table, Catalog: f.catalog, Now: f.now,
		Rand:  rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	return f
}

func (f *fixture) now() model.Time { return model.Time(f.clock.Load()) }

func timeAt(text string) model.Time {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return at
}

func deviceSeries(device string) model.Series {
	return model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING"}
}

// store stores an event of a device, as ingest does, without processing it.
func (f *fixture) store(series model.Series, when string) storage.Change {
	f.Helper()
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(1))}}
	e := model.Event{
		Series: series, Order: model.Order{At: timeAt(when)}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: f.now(), ExpiresAt: f.now().Add(30 * tier.Day24).Seconds(),
	}
	if written, err := f.Put(f.Context(), e); err != nil || written.Result != storage.Written {
		f.Fatal(written.Result, err)
	}
	return storage.Change{Type: storage.Inserted, Key: e.Key(), At: f.now()}
}

// process computes the rows of what was stored.
func (f *fixture) process(changes ...storage.Change) {
	f.Helper()
	if report := f.agg.Process(f.Context(), changes); len(report.Failures) > 0 {
		f.Fatal(report.Failures[0].Err)
	}
}

// wrong returns how many buckets differ from their events.
func (f *fixture) wrong() int {
	f.Helper()
	v := &verify.Verifier{Store: f.Table, Catalog: f.catalog, Now: f.now}
	report, err := v.Verify(f.Context(), verify.Scope{Span: verify.Always})
	if err != nil {
		f.Fatal(err)
	}
	return len(report.Differences)
}

func (f *fixture) wantWrong(want int) {
	f.Helper()
	if got := f.wrong(); got != want {
		f.Errorf("%d buckets differ from their events, want %d", got, want)
	}
}

// row returns the hour row of a device.
func (f *fixture) row(device, when string) *rollup.Row {
	f.Helper()
	row, err := f.Row(f.Context(),
		rollup.Key{Series: deviceSeries(device), Tier: "hour", Start: tier.Hour.BucketAt(timeAt(when)).Start})
	if err != nil || row == nil {
		f.Fatalf("hour of %s at %s: %v, %v", device, when, row, err)
	}
	return row
}
