package aggregate_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// store is the part of a table that an aggregator uses.
type store interface {
	aggregate.Store
	aggregate.QuarantineStore
	aggregate.InvalidationStore
	aggregate.SeriesStore
	aggregate.LatestStore
}

// world is a table in memory, a clock that only the test moves, and an aggregator that
// uses both.
type world struct {
	t      *testing.T
	table  *memory.Table
	clock  *atomic.Int64
	agg    *aggregate.Aggregator
	seen   uint64 // records already delivered
	kind   *catalog.Kind
	series model.Series
}

var gauge = catalog.Kind{
	Name:     "GAUGE",
	Subject:  catalog.SubjectType{Name: "DEVICE"},
	Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}},
}

var noon = at("2026-03-10T12:00:00Z")

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func newWorld(t *testing.T) *world { return newWorldWith(t, gauge) }

func newWorldWith(t *testing.T, kind catalog.Kind) *world {
	t.Helper()
	cat, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, clock: &atomic.Int64{}}
	w.setNow(noon)
	w.table = memory.New(w.now)
	w.kind, _ = cat.Kind(kind.Name)
	w.series = w.kind.Series("d1", "", model.Order{})
	w.agg = &aggregate.Aggregator{
		Store: w.table, QuarantineStore: w.table, Catalog: cat, Now: w.now,
		Rand:  seeded(1),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	return w
}

func seeded(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

func (w *world) now() model.Time                  { return model.Time(w.clock.Load()) }
func (w *world) setNow(t model.Time)              { w.clock.Store(int64(t)) }
func (w *world) advance(d time.Duration)          { w.setNow(w.now().Add(d)) }
func (w *world) on(s store)                       { w.agg.Store, w.agg.QuarantineStore = s, s }
func (w *world) ctx() context.Context             { return w.t.Context() }
func (w *world) key(o model.Order) model.EventKey { return model.EventKey{Series: w.series, Order: o} }

func order(when, id string) model.Order { return model.Order{At: at(when), ID: id} }

func (w *world) event(o model.Order, value string) model.Event {
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.MustDecimal(value))}}
	return model.Event{
		Series: w.series, Order: o, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.now(), ExpiresAt: w.kind.Retention.EventExpiresAt(w.now()),
	}
}

// put stores an event as ingest does.
func (w *world) put(o model.Order, value string) {
	w.t.Helper()
	e := w.event(o, value)
	if result, err := w.table.Put(w.ctx(), e); err != nil || result.Result != storage.Written {
		w.t.Fatalf("put %v: %v, %v", o, result.Result, err)
	}
}

func (w *world) delete(o model.Order) {
	w.t.Helper()
	if result, err := w.table.DeleteEvent(w.ctx(), w.key(o), w.now()); err != nil || result != storage.Written {
		w.t.Fatalf("delete %v: %v, %v", o, result, err)
	}
}

func (w *world) correct(o model.Order, value string) {
	w.t.Helper()
	if result, err := w.table.CorrectEvent(w.ctx(), w.event(o, value), w.now()); err != nil ||
		result != storage.Written {
		w.t.Fatalf("correct %v: %v, %v", o, result, err)
	}
}

// changes returns the changes of events in the table stream since the last call.
func (w *world) changes() []storage.Change {
	records := w.table.Records(w.seen)
	w.seen += uint64(len(records))
	return decodeChanges(records)
}

func decodeChanges(records []memory.Record) (changes []storage.Change) {
	what := map[string]storage.ChangeType{memory.Insert: storage.Inserted, memory.Modify: storage.Corrected,
		memory.Remove: storage.Deleted}
	for _, r := range records {
		key, err := keys.ParseEvent(r.Keys)
		if err != nil {
			continue // a rollup row
		}
		c := storage.Change{Type: what[r.Name], Key: key, Seq: fmt.Sprint(r.Seq), EventID: r.EventID, At: r.At}
		if r.Service {
			c.Type = storage.Expired
		}
		changes = append(changes, c)
	}
	return changes
}

// process delivers the new changes in one batch, and fails the test if that fails.
func (w *world) process() aggregate.Report {
	w.t.Helper()
	return w.processAll(w.changes())
}

func (w *world) processAll(changes []storage.Change) aggregate.Report {
	w.t.Helper()
	report := w.agg.Process(w.ctx(), changes)
	for _, f := range report.Failures {
		w.t.Fatalf("process: change %d: %v", f.Change, f.Err)
	}
	return report
}

// row returns the stored row that contains a time; nil where there is none.
func (w *world) row(u tier.Unit, when string) *rollup.Row {
	w.t.Helper()
	row, err := w.table.Row(w.ctx(),
		rollup.Key{Series: w.series, Tier: u.String(), Start: u.BucketAt(at(when)).Start})
	if err != nil {
		w.t.Fatal(err)
	}
	return row
}

// wantRow fails unless the row that contains a time has this count, maximum and exactness.
func (w *world) wantRow(u tier.Unit, when string, count int64, most string, exact bool) {
	w.t.Helper()
	row := w.row(u, when)
	if row == nil || row.Empty {
		w.t.Errorf("%s of %s: no row, want %d events", u, when, count)
		return
	}
	m, _ := row.Summary.Measure("value")
	if row.Summary.Events() != count || m.Max.String() != most || row.Exact != exact {
		w.t.Errorf("%s of %s: %d events, max %s, exact %v; want %d, %s, %v",
			u, when, row.Summary.Events(), m.Max, row.Exact, count, most, exact)
	}
}

// image is a row without its bookkeeping: two rows of the same events have equal images.
type image struct {
	Summary, Digest []byte
	Unreadable      int64
	Exact, Empty    bool
}

func (w *world) images() map[string]image {
	w.t.Helper()
	all := map[string]image{}
	for _, it := range w.items() {
		if row, err := item.Row(it); err == nil {
			all[rowName(row.Key.Series, row.Key.Tier, row.Key.Start)] = newImage(&row)
		}
	}
	return all
}

func (w *world) items() (all []item.Item) {
	w.t.Helper()
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := w.table.Scan(w.ctx(), after)
		if err != nil {
			w.t.Fatal(err)
		}
		all, after = append(all, page...), next
	}
	return all
}

func rowName(s model.Series, tier string, start model.Time) string {
	return fmt.Sprintf("%s shard %d %s %s", s, s.Shard, tier, start)
}

func newImage(r *rollup.Row) image {
	im := image{Digest: bytes.Clone(r.Digest[:]), Unreadable: r.Unreadable, Exact: r.Exact, Empty: r.Empty}
	if r.Summary != nil {
		im.Summary = r.Summary.Encode(nil)
	}
	return im
}

func (w *world) wantImages(want map[string]image) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.images()); diff != "" {
		w.t.Errorf("rows differ (-want +got):\n%s", diff)
	}
}

// wantRecount fails unless every row, except empty ones, has the bytes of a recount of the
// stored events, and no row is missing.
func (w *world) wantRecount() {
	w.t.Helper()
	rows := w.images()
	for name, im := range rows {
		if im.Empty {
			delete(rows, name)
		}
	}
	var stored []model.Event
	for _, it := range w.items() {
		if e, err := item.Event(it); err == nil {
			stored = append(stored, e)
		}
	}
	want := map[string]image{}
	for key, f := range w.recount(stored) {
		want[rowName(key.Series, key.Tier, key.Start)] = newImage(&rollup.Row{Fold: *f})
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		w.t.Errorf("rows differ from a recount (-want +got):\n%s", diff)
	}
}

// recount shares no code with a recomputation: it makes each row of each tier from events.
func (w *world) recount(events []model.Event) map[rollup.Key]*rollup.Fold {
	folds := map[rollup.Key]*rollup.Fold{}
	for i := range events {
		e := &events[i]
		for _, t := range w.kind.Retention.Tiers {
			key := rollup.Key{Series: e.Series.WithoutShard(), Tier: t.Unit.String(),
				Start: t.Unit.BucketAt(e.At).Start}
			if folds[key] == nil {
				folds[key] = rollup.NewFold(w.kind.Spec())
			}
			folds[key].AddEvent(e)
		}
	}
	return folds
}
