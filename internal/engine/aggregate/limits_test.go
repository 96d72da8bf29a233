package aggregate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func rowItemKey(w *world, u tier.Unit, when string) keys.Key {
	return keys.Row(rollup.Key{Series: w.series, Tier: u.String(), Start: u.BucketAt(at(when)).Start})
}

func TestProcess_UnknownKindIsQuarantinedAndTheRestProcessed(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.series.Kind = "NOISE"
	w.put(order(ten, "x"), "1")
	w.series.Kind = gauge.Name
	w.put(order(half, ""), "2")
	changes := w.changes()
	for range 2 { // delivered twice, it is stored once
		if r := w.processAll(changes); r.Quarantined != 1 {
			t.Errorf("%d changes quarantined, want 1", r.Quarantined)
		}
	}
	w.wantRow(tier.Hour, ten, 2, "2", true)
	var quarantined []storage.Quarantined
	for _, it := range w.items() {
		if q, err := item.Quarantined(it); err == nil {
			quarantined = append(quarantined, q)
		}
	}
	if len(quarantined) != 1 {
		t.Fatalf("%d records in quarantine, want 1", len(quarantined))
	}
	q := quarantined[0]
	var payload map[string]string
	if err := json.Unmarshal(q.Payload, &payload); err != nil || payload["kind"] != "NOISE" ||
		payload["id"] != "x" {
		t.Errorf("payload %s: %v, want the event's identity", q.Payload, err)
	}
	if q.Source != "stream" || q.Subject != w.series.Subject || !strings.Contains(q.Reason, `"NOISE"`) ||
		q.ExpiresAt != w.now().Add(30*tier.Day24).Seconds() {
		t.Errorf("quarantined as %+v", q)
	}
}

func TestProcess_UnknownKindThatCannotBeQuarantinedFails(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.series.Kind = "NOISE"
	w.put(order(ten, ""), "1")
	w.on(&deniedQuarantine{w.table})
	if r := w.agg.Process(w.ctx(), w.changes()); len(r.Failures) != 1 || r.Failures[0].Change != 1 {
		t.Errorf("failures %v, want one at change 1", r.Failures)
	}
}

type deniedQuarantine struct{ store }

func (deniedQuarantine) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	return storage.Unknown, errors.New("access denied")
}

func TestQuarantine_RepeatsTransientResults(t *testing.T) {
	w := newWorld(t)
	q := &flakyQuarantine{store: w.table,
		results: []storage.WriteResult{storage.Throttled, storage.Unknown, storage.ConditionFailed}}
	w.on(q)
	if err := w.agg.Quarantine(w.ctx(), storage.Quarantined{ID: "1"}); err != nil || len(q.results) != 0 {
		t.Errorf("%v, %d results left; want none: transient results are repeated, and a failed condition "+
			"means that it is stored", err, len(q.results))
	}
}

type flakyQuarantine struct {
	store
	results []storage.WriteResult
}

func (f *flakyQuarantine) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	a := f.results[0]
	f.results = f.results[1:]
	return a, nil
}

// A row of a newer version is neither folded nor overwritten, and the change fails.
func TestProcess_NewerRowFailsAndIsNotOverwritten(t *testing.T) {
	for i, u := range tiers {
		w := newWorld(t)
		w.put(order(ten, ""), "1")
		w.process()
		key := rowItemKey(w, u, ten)
		stored, err := w.table.GetItem(w.ctx(), key)
		if err != nil {
			t.Fatal(err)
		}
		stored[keys.AttrVersion] = item.Value{Type: item.N, S: "2"}
		if err := w.table.PutItem(w.ctx(), stored); err != nil {
			t.Fatal(err)
		}
		w.put(order(half, ""), "2")
		r := w.agg.Process(w.ctx(), w.changes())
		wantFailures := min(2, 3-i) // its own bucket, and the bucket of the tier folded from it
		if len(r.Failures) != wantFailures || !errors.Is(r.Failures[0].Err, item.ErrNewer) {
			t.Errorf("%s of version 2: failures %v, want %d with ErrNewer", u, r.Failures, wantFailures)
		}
		if after, _ := w.table.GetItem(w.ctx(),
			key); string(after[tablekeys.AttrRev].B) != string(stored[tablekeys.AttrRev].B) {
			t.Errorf("the %s of version 2 was overwritten", u)
		}
	}
}

func TestProcess_UnreadableEventIsCountedAndBlocksNothing(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	broken := item.FromEvent(&model.Event{Series: w.series, Order: order(half, "")})
	delete(broken, tablekeys.AttrHash)
	if err := w.table.PutItem(w.ctx(), broken); err != nil {
		t.Fatal(err)
	}
	if r := w.process(); r.Unreadable != 1 || r.Inexact != 3 {
		t.Errorf("%d unreadable, %d inexact rows; want 1, 3", r.Unreadable, r.Inexact)
	}
	for _, u := range tiers {
		w.wantRow(u, ten, 1, "1", false)
	}
	w.wantRecount()
	w.put(order("2026-03-10T10:40:00Z", ""), "2")
	if r := w.process(); r.Written != 3 || r.Inexact != 0 {
		t.Errorf("%d rows written, %d newly inexact; want 3, 0: they were inexact before", r.Written, r.Inexact)
	}
	w.drop(broken.Key())
	w.process()
	for _, u := range tiers {
		w.wantRow(u, ten, 2, "2", true)
	}
}

func (w *world) drop(k keys.Key) {
	w.t.Helper()
	if err := w.table.DeleteItem(w.ctx(), k); err != nil {
		w.t.Fatal(err)
	}
}

// undecodable is a table whose rows of one tier cannot be decoded.
type undecodable struct {
	store
	tier string
}

func (b *undecodable) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := b.store.Row(ctx, key)
	if row != nil && key.Tier == b.tier {
		row = &rollup.Row{Key: row.Key, Rev: row.Rev, V: row.V, ExpiresAt: row.ExpiresAt}
	}
	return row, err
}

func (b *undecodable) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := b.store.Rows(ctx, u, r)
	for i, row := range page.Rows {
		if u.String() == b.tier {
			page.Rows[i] = rollup.Row{Key: row.Key, Rev: row.Rev, V: row.V, ExpiresAt: row.ExpiresAt}
		}
	}
	return page, err
}

func TestProcess_DamagedRowIsNotOverwrittenAndMakesTheCoarserRowInexact(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, ""), "1")
	w.process()
	rev := w.row(tier.Hour, ten).Rev
	w.on(&undecodable{w.table, tier.Hour.String()})
	w.put(order(half, ""), "2")
	r := w.process()
	if w.row(tier.Hour, ten).Rev != rev || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "rebuild") {
		t.Errorf("notes %v; want the row unchanged, and a note that says what to do", r.Notes)
	}
	if day := w.row(tier.Day, ten); day.Exact || day.Unreadable != 1 {
		t.Errorf("the day: exact %v, unreadable %d; want false, 1", day.Exact, day.Unreadable)
	}
	w.on(w.table) // the damaged row is deleted, and its bucket recomputed
	w.drop(rowItemKey(w, tier.Hour, ten))
	w.processAll([]storage.Change{{Type: storage.Corrected, Key: w.key(order(ten, ""))}})
	w.wantRecount()
}

// wordy returns a kind whose events make rows large: each event has new long values of all
// dimensions.
func wordy() catalog.Kind {
	kind := gauge
	for i := range 10 {
		kind.Dimensions = append(kind.Dimensions, rollup.DimensionSpec{Name: fmt.Sprintf("word%d", i), Top: 200})
	}
	return kind
}

// tooLarge is a number of such events that make a row oversize.
const tooLarge = 1 + rollup.MaxRowBytes/10/rollup.MaxDimensionValue

// putWords stores n events of one hour, each with other values.
func (w *world) putWords(when string, n int) {
	w.t.Helper()
	for i := range n {
		e := w.event(model.Order{At: at(when) + model.Time(i)}, "1")
		for d, spec := range w.kind.Dimensions {
			word := fmt.Sprintf("%*d", rollup.MaxDimensionValue, 100*i+d)
			e.Attrs = append(e.Attrs, model.Attr{Name: spec.Name, Value: model.TextValue(word)})
		}
		e.Hash = model.HashAttrs(e.Attrs)
		if result, err := w.table.Put(w.ctx(), e); err != nil || result.Result != storage.Written {
			w.t.Fatalf("put %v: %v, %v", e.Order, result.Result, err)
		}
	}
}

// busy is a table whose requests take a while. For each step it counts the requests that are sent at once.
type busy struct {
	*memory.Table
	mu        sync.Mutex
	now, most map[string]int // by step; guarded by mu
}

// request returns after the request.
func (b *busy) request(step string) {
	b.mu.Lock()
	b.now[step]++
	b.most[step] = max(b.most[step], b.now[step])
	b.mu.Unlock()
	time.Sleep(time.Millisecond)
	b.mu.Lock()
	b.now[step]--
	b.mu.Unlock()
}

func (b *busy) ReadRows(ctx context.Context, all []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	b.request("rows")
	return (&batched{store: b.Table}).ReadRows(ctx, all)
}

func (b *busy) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	b.request("list")
	return b.Table.ReadItems(ctx, these, consistent)
}

func (b *busy) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	b.request("list")
	return b.Table.PutAll(ctx, puts)
}

func (b *busy) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	b.request("latest")
	return b.Table.GetItem(ctx, k)
}

func (b *busy) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	b.request("rows")
	return b.Table.PutRow(ctx, row, prev)
}

func (b *busy) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (map[storage.Invalidation]bool, error) {
	b.request("queue")
	return b.Table.StoredInvalidations(ctx, these)
}

func (b *busy) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	b.request("queue")
	return b.Table.PutInvalidations(ctx, these)
}

func (b *busy) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	b.request("queue")
	return b.Table.DeleteInvalidations(ctx, these)
}

// Each part of a batch and of a sweep sends as many requests at the same time as is allowed, and no more.
func TestProcess_SendsNoMoreRequestsAtOnceThanItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind := gauge
		kind.Latest = catalog.DerivedLatest
		w := newWorldWith(t, deferred(kind, 0))
		w.agg.Limits.Concurrency = 2
		table := &busy{Table: w.table, now: map[string]int{}, most: map[string]int{}}
		w.on(table)
		check := func(part, step string) {
			t.Helper()
			for other, most := range table.most {
				if most > 2 || other == step && most < 2 {
					t.Errorf("%s: %d requests of the %s at once, want 2", part, most, other)
				}
			}
			clear(table.most)
		}
		threeHundred(w)
		w.process()
		check("many rows", "rows")
		first := w.series
		each := func(do func()) {
			for i := range 8 {
				w.series = w.kind.Series(fmt.Sprint("many", i), "", model.Order{})
				do()
			}
			w.series = first
		}
		open := order("2026-03-10T12:10:00Z", "")
		w.setNow(open.At)
		each(func() { w.put(open, "1") })
		w.process()
		check("many series with open buckets", "list")
		each(func() { w.delete(open) })
		w.process()
		check("many deletions", "latest")
		w.setNow(at("2026-03-11T00:02:00Z"))
		for _, shard := range storage.FirstGeneration.QueueShards() {
			if _, err := w.agg.Sweep(t.Context(), shard); err != nil {
				t.Fatal(err)
			}
		}
		check("sweeps", "rows")
	})
}

func TestProcess_OversizeRowKeepsItsSumsAndTheMostFrequentValues(t *testing.T) {
	w := newWorldWith(t, wordy())
	w.putWords(ten, 1)
	w.process()
	w.putWords(half, tooLarge)
	r := w.process()
	if r.Oversize != 1 || len(r.Notes) != 1 || r.Notes[0].Key.Tier != "hour" {
		t.Errorf("%d oversize, notes %v; want one of the hour", r.Oversize, r.Notes)
	}
	hour := w.row(tier.Hour, ten)
	for _, row := range []*rollup.Row{hour, w.row(tier.Day, ten)} {
		m, _ := row.Summary.Measure("value")
		words, _ := row.Summary.Dimension("word0")
		if row.Exact || row.Summary.Events() != tooLarge+1 || row.Unreadable != 0 || m.Count != tooLarge+1 ||
			len(words.Values) == 0 || words.Other == 0 {
			t.Errorf("%s: exact %v, %d events, %d unreadable, %d values, %d words and %d others; "+
				"want inexact, and all %d events and values",
				row.Key.Tier, row.Exact, row.Summary.Events(), row.Unreadable, m.Count, len(words.Values), words.Other,
				tooLarge+1)
		}
	}
	for i := range tooLarge { // the row is small again
		w.delete(model.Order{At: at(half) + model.Time(i)})
	}
	w.process()
	w.wantRecount()
}

// Undeclared names never take the place of a declared measure, also if they come before it in byte order.
func TestProcess_UndeclaredNumbersDoNotEvictADeclaredMeasure(t *testing.T) {
	w := newWorld(t)
	w.put(order(ten, "1"), "21")
	w.process()
	e := w.event(order(half, "2"), "22")
	for i := range rollup.DefaultMaxMeasures {
		e.Attrs = append(e.Attrs,
			model.Attr{Name: fmt.Sprintf("debug%02d", i), Value: model.NumberValue(model.NewDecimal(1))})
	}
	e.Attrs.Sort()
	e.Hash = model.HashAttrs(e.Attrs)
	if _, err := w.table.Put(w.ctx(), e); err != nil {
		t.Fatal(err)
	}
	w.process()
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		row := w.row(unit, ten)
		m, has := row.Summary.Measure("value")
		if !has || m.Count != 2 || m.Sum.String() != "43" || !row.Exact || !row.Summary.Truncated() ||
			len(row.Summary.Names()) != rollup.DefaultMaxMeasures {
			t.Errorf("%s: value %v, count %d, sum %s, exact %v, truncated %v, %d measures; "+
				"want all of value, exact, truncated, %d",
				unit, has, m.Count, m.Sum, row.Exact, row.Summary.Truncated(), len(row.Summary.Names()),
				rollup.DefaultMaxMeasures)
		}
	}
	w.wantRecount()
}

// A recomputation that is repeated reports what its last attempt found, once.
func TestProcess_ARepeatedRecomputationIsReportedOnce(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.MaxChildren = 1
	w.put(order(ten, "a"), "1")
	w.put(order(ten, "b"), "1")
	w.on(&faulty{store: w.table, write: 1, result: storage.ConditionFailed})
	if r := w.process(); len(r.Notes) != 1 {
		t.Errorf("notes %v, want one", r.Notes)
	}
}

// An oversize row equals the next fold of the same events: a second delivery does not
// write it, and a rebuild finds nothing to change.
func TestProcess_OversizeRowIsNotRewrittenEachTime(t *testing.T) {
	w := newWorldWith(t, wordy())
	w.putWords(ten, tooLarge)
	changes := w.changes()
	w.processAll(changes)
	before := w.items()
	if r := w.processAll(changes); r.Written != 0 || r.Oversize != 0 || r.Unchanged != r.Recomputed {
		t.Errorf("delivered again: %d written, %d oversize, %d of %d unchanged; want nothing written", r.Written,
			r.Oversize, r.Unchanged, r.Recomputed)
	}
	if diff := cmp.Diff(before, w.items()); diff != "" {
		t.Errorf("delivered again, items changed (-before +after):\n%s", diff)
	}
	dry := w.complete()
	dry.DryRun = true
	for name, rebuild := range map[string]aggregate.Rebuild{"dry": dry, "real": w.complete()} {
		if r := w.rebuild(rebuild); r.Changed != 0 {
			t.Errorf("a %s rebuild found %d rows to change, want none", name, r.Changed)
		}
	}
}

func TestProcess_BucketWithTooManyChildrenIsSealedAndNotReadAgain(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.MaxChildren = 10
	w.on(&paged{store: w.table, limit: 4})
	for i := range 11 {
		w.put(order(ten, fmt.Sprint(i)), "1")
	}
	r := w.process()
	if r.TooManyChildren != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0].Text, "finer tier") {
		t.Errorf("%d buckets with too many children, notes %v; want 1, and a note that says what to do",
			r.TooManyChildren, r.Notes)
	}
	w.wantRow(tier.Hour, ten, 11, "1", false)
	w.put(order(ten, "one more"), "1")
	if r := w.process(); r.Reads > 5 || r.Sealed != 1 {
		t.Errorf("%d reads, %d sealed; want the bucket not to be read again", r.Reads, r.Sealed)
	}
}

func TestProcess_BucketWithTheMostChildrenIsExact(t *testing.T) {
	w := newWorld(t)
	w.agg.Limits.MaxChildren = 10
	for i := range 10 {
		w.put(order(ten, fmt.Sprint(i)), "1")
	}
	if r := w.process(); r.TooManyChildren != 0 {
		t.Error("a bucket with exactly the most children has too many")
	}
	w.wantRecount()
}

func TestProcess_FailingRandomSourceFailsTheRecomputation(t *testing.T) {
	for _, source := range []string{"", strings.Repeat("\x00", 1000)} {
		w := newWorld(t)
		w.agg.Rand = strings.NewReader(source)
		w.put(order(ten, ""), "1")
		if r := w.agg.Process(w.ctx(), w.changes()); len(r.Failures) == 0 ||
			!strings.Contains(r.Failures[0].Err.Error(), "make a revision") {
			t.Errorf("failures %v, want one about the revision", r.Failures)
		}
	}
}
