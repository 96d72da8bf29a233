package faults

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// gauge is the kind of these tests. It has the default retention: raw 30 days, hour 90 days, day 2
// years, month forever.
var gauge = catalog.Kind{
	Name:     "GAUGE",
	Subject:  catalog.SubjectType{Name: "DEVICE"},
	Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}},
}

// The clock of the table starts at noon of the day of most events.
const (
	ten    = "2026-03-10T10:00:00Z"
	half   = "2026-03-10T10:30:00Z"
	eleven = "2026-03-10T11:00:00Z"
	noon   = "2026-03-10T12:00:00Z"
)

var tiers = []tier.Unit{tier.Hour, tier.Day, tier.Month}

// world is a table in memory with a clock that the test moves, and the catalog of its aggregators.
type world struct {
	*testing.T
	*memory.Table
	catalog *catalog.Catalog
	kind    *catalog.Kind
	clock   *atomic.Int64
	random  io.Reader // of all nonces, so that none is repeated
	seen    uint64    // records of the table stream already processed
}

func newWorld(t *testing.T) *world {
	t.Helper()
	kinds, err := catalog.New(gauge)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, catalog: kinds, clock: new(atomic.Int64),
		random: &source{src: rand.NewChaCha8([32]byte{1})}}
	w.kind, _ = kinds.Kind(gauge.Name)
	w.setNow(at(noon))
	w.Table = memory.New(w.now)
	return w
}

func (w *world) now() model.Time         { return model.Time(w.clock.Load()) }
func (w *world) setNow(t model.Time)     { w.clock.Store(int64(t)) }
func (w *world) advance(d time.Duration) { w.setNow(w.now().Add(d)) }
func (w *world) ctx() context.Context    { return w.Context() }

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// store is the table as an aggregator uses it.
type store interface {
	aggregate.LatestStore
	aggregate.Store
	aggregate.QuarantineStore
}

// aggregator returns one process of the aggregate function on a store.
func (w *world) aggregator(on store) *aggregate.Aggregator {
	return &aggregate.Aggregator{
		Store: on, QuarantineStore: on, Catalog: w.catalog, Now: w.now, Rand: w.random,
		Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		Limits: aggregate.Limits{Concurrency: 1}, // requests are made in a fixed order
	}
}

// source is a random source that is safe for concurrent reads.
type source struct {
	mu  sync.Mutex
	src *rand.ChaCha8 // guarded by mu
}

func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.src.Read(p)
}

// series returns the series of a device.
func (w *world) series(device string) model.Series {
	return w.kind.Series(device, "", model.Order{})
}

func (w *world) key(device, when, id string) model.EventKey {
	return model.EventKey{Series: w.series(device), Order: model.Order{At: at(when), ID: id}}
}

func (w *world) event(k model.EventKey, value string) model.Event {
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.MustDecimal(value))}}
	return model.Event{
		Series: k.Series, Order: k.Order, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.now(), ExpiresAt: w.kind.Retention.EventExpiresAt(w.now()),
	}
}

// put, correct and delete change events of device d.
func (w *world) put(when, id, value string) { w.Helper(); w.putDevice("d", when, id, value) }

func (w *world) putDevice(device, when, id, value string) {
	w.Helper()
	reply, err := w.Put(w.ctx(), w.event(w.key(device, when, id), value))
	w.wantWritten("put "+when+" "+id, reply.Result, err)
}

func (w *world) correct(when, id, value string) {
	w.Helper()
	result, err := w.CorrectEvent(w.ctx(), w.event(w.key("d", when, id), value), w.now())
	w.wantWritten("correct "+when+" "+id, result, err)
}

func (w *world) delete(when, id string) {
	w.Helper()
	result, err := w.DeleteEvent(w.ctx(), w.key("d", when, id), w.now())
	w.wantWritten("delete "+when+" "+id, result, err)
}

func (w *world) wantWritten(what string, result storage.WriteResult, err error) {
	w.Helper()
	if err != nil || result != storage.Written {
		w.Fatalf("%s: %v, %v", what, result, err)
	}
}

// writeSome writes, corrects and deletes events of three devices over twenty days.
func (w *world) writeSome(seed uint64, n int) {
	w.Helper()
	draw := rand.New(rand.NewPCG(seed, 0))
	var live []model.EventKey
	for i := range n {
		switch what := draw.IntN(20); {
		case what == 0 && len(live) > 0:
			one := draw.IntN(len(live))
			result, err := w.DeleteEvent(w.ctx(), live[one], w.now())
			w.wantWritten("delete", result, err)
			live = append(live[:one], live[one+1:]...)
		case what == 1 && len(live) > 0:
			result, err := w.CorrectEvent(w.ctx(), w.event(live[draw.IntN(len(live))], fmt.Sprint(1000+i)), w.now())
			w.wantWritten("correct", result, err)
		default:
			k := w.key(fmt.Sprint("d", draw.IntN(3)), noon, fmt.Sprint(i))
			k.At = k.At.Add(-time.Duration(draw.IntN(20*24*60)) * time.Minute)
			reply, err := w.Put(w.ctx(), w.event(k, fmt.Sprint(draw.IntN(1000))))
			w.wantWritten("put", reply.Result, err)
			live = append(live, k)
		}
	}
}

// fresh returns the changes in the table stream since the last call.
func (w *world) fresh() []storage.Change {
	w.Helper()
	records := w.Records(w.seen)
	w.seen += uint64(len(records))
	return w.changes(records...)
}

// settle processes the new changes without faults.
func (w *world) settle() { w.Helper(); w.settleAll(w.fresh()) }

func (w *world) settleAll(changes []storage.Change) aggregate.Report {
	w.Helper()
	report := w.aggregator(w.Table).Process(w.ctx(), changes)
	for _, f := range report.Failures {
		w.Fatalf("process change %d: %v", f.Change, f.Err)
	}
	return report
}

// rebuild recomputes all buckets of a range, of every device.
func (w *world) rebuild(from, to model.Time) {
	w.Helper()
	known := map[model.Series]bool{}
	for _, e := range w.events() {
		known[e.Series] = true
	}
	for series := range known {
		report, err := w.aggregator(w.Table).Rebuild(w.ctx(), aggregate.Rebuild{Series: series, From: from, To: to})
		if err != nil || len(report.Failures) > 0 {
			w.Fatalf("rebuild %s: %v, failures %v", series, err, report.Failures)
		}
	}
}

func (w *world) items() (all []item.Item) {
	w.Helper()
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := w.Scan(w.ctx(), after)
		if err != nil {
			w.Fatal(err)
		}
		all, after = append(all, page...), next
	}
	return all
}

func (w *world) events() (all []model.Event) {
	w.Helper()
	for _, it := range w.items() {
		if e, err := item.Event(it); err == nil {
			all = append(all, e)
		}
	}
	return all
}

// row returns the stored row of device d over a time, or nil.
func (w *world) row(u tier.Unit, when string) *rollup.Row {
	w.Helper()
	row, err := w.Row(w.ctx(),
		rollup.Key{Series: w.series("d"), Tier: u.String(), Start: u.BucketAt(at(when)).Start})
	if err != nil {
		w.Fatal(err)
	}
	return row
}

// wantRow fails the test unless the row of device d has this number of events, maximum and
// exactness.
func (w *world) wantRow(u tier.Unit, when string, count int64, most string, exact bool) {
	w.Helper()
	row := w.row(u, when)
	if row == nil || row.Empty {
		w.Errorf("%s of %s: no row, want %d events", u, when, count)
		return
	}
	m, _ := row.Summary.Measure("value")
	if row.Summary.Events() != count || m.Max.String() != most || row.Exact != exact {
		w.Errorf("%s of %s: %d events, max %s, exact %v; want %d, %s, %v",
			u, when, row.Summary.Events(), m.Max, row.Exact, count, most, exact)
	}
}

// said is the content of a row without its bookkeeping.
type said struct {
	Summary    string // its bytes
	Digest     rollup.Digest
	Unreadable int64
	Exact      bool
}

func (s said) String() string {
	if s.Summary == "" {
		return "no row"
	}
	summary, err := rollup.Decode([]byte(s.Summary))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d events, %d unreadable, exact %v, digest %.4s", summary.Events(), s.Unreadable,
		s.Exact, s.Digest)
}

func newSaid(f *rollup.Fold) said {
	return said{
		Summary: string(f.Summary.Encode(nil)), Digest: f.Digest, Unreadable: f.Unreadable, Exact: f.Exact,
	}
}

// rows returns the content of all rows by name, without empty ones.
func (w *world) rows() map[string]said {
	w.Helper()
	all := map[string]said{}
	for _, it := range w.items() {
		if row, err := item.Row(it); err == nil && !row.Empty {
			all[rowName(row.Key)] = newSaid(&row.Fold)
		}
	}
	return all
}

func rowName(k rollup.Key) string { return fmt.Sprintf("%s %s %s", k.Series, k.Tier, k.Start) }

// recount returns the expected rows, computed from the stored events. It shares no code with the
// aggregator: each row of each tier is computed from events.
func (w *world) recount() map[string]said {
	w.Helper()
	folds := map[string]*rollup.Fold{}
	for _, e := range w.events() {
		for _, t := range w.kind.Retention.Tiers {
			name := rowName(rollup.Key{Series: e.Series, Tier: t.Unit.String(), Start: t.Unit.BucketAt(e.At).Start})
			if folds[name] == nil {
				folds[name] = rollup.NewFold(w.kind.Spec())
			}
			folds[name].AddEvent(&e)
		}
	}
	all := map[string]said{}
	for name, f := range folds {
		all[name] = newSaid(f)
	}
	return all
}

// wantRecount fails the test unless every row equals the recount, byte for byte, and none is
// missing.
func (w *world) wantRecount() { w.Helper(); w.wantRows(w.recount()) }

func (w *world) wantRows(want map[string]said) {
	w.Helper()
	for _, sentence := range differences(want, w.rows()) {
		w.Error(sentence)
	}
}

// differences lists the rows that differ, in order of their names.
func differences(want, got map[string]said) (all []string) {
	for name, row := range want {
		if got[name] != row {
			all = append(all, fmt.Sprintf("%s: %s, want %s", name, got[name], row))
		}
	}
	for name, row := range got {
		if _, wanted := want[name]; !wanted {
			all = append(all, fmt.Sprintf("%s: %s, want no row", name, row))
		}
	}
	slices.Sort(all)
	return all
}

// wantWrong fails the test if the rows are right although changes were withheld. A repair would
// then prove nothing.
func (w *world) wantWrong(why string) {
	w.Helper()
	if len(differences(w.recount(), w.rows())) == 0 {
		w.Fatalf("%s, but the rows are right", why)
	}
}
