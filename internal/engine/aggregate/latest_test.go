package aggregate_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// latestWorld is a world whose kind has derived latest items.
type latestWorld struct {
	*world
	deferred bool
}

func newLatestWorld(t *testing.T, deferred bool) *latestWorld {
	kind := gauge
	kind.Latest = catalog.DerivedLatest
	kind.Enrichment = []string{"owner"}
	kind.Retention = tier.Standard()
	for i := range kind.Retention.Tiers {
		kind.Retention.Tiers[i].Deferred = deferred
	}
	return &latestWorld{newWorldWith(t, kind), deferred}
}

// change stores an event at a time, or deletes it, and processes the change.
func (w *latestWorld) change(what storage.ChangeType, when model.Time, value int64) {
	w.t.Helper()
	if r := w.process(what, when, "value", value); len(r.Failures) > 0 {
		w.t.Fatal(r.Failures[0].Err)
	}
}

// process is change with an event of one named number.
func (w *latestWorld) process(what storage.ChangeType, when model.Time, name string,
	value int64) aggregate.Report {
	w.t.Helper()
	attrs := model.Attrs{{Name: name, Value: model.NumberValue(model.NewDecimal(value))}}
	e := model.Event{Series: w.series, Order: model.Order{At: when}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.now(), ExpiresAt: w.kind.Retention.EventExpiresAt(w.now())}
	err := w.table.DeleteItem(context.Background(), keys.Event(e.Key()))
	if what != storage.Deleted {
		err = w.table.PutItem(context.Background(), item.FromEvent(&e))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return w.agg.Process(context.Background(), []storage.Change{{Type: what, Key: e.Key(), At: w.now()}})
}

// stored returns the stored item; not Ordered if it has no event.
func (w *latestWorld) stored() item.DerivedLatest {
	w.t.Helper()
	it, err := w.table.GetItem(context.Background(), keys.Latest(w.series))
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := item.ReadDerivedLatest(it)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *latestWorld) wantLatest(at model.Time) {
	w.t.Helper()
	if l := w.stored(); l.Ordered != (at != 0) || l.Ordered && l.At != at {
		w.t.Errorf("the latest item is %v of %s, want %s", l.Ordered, l.At, at)
	}
}

func TestFoldLatest_FollowsTheNewestEvent(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	first, second := noon.Add(-3*time.Hour), noon.Add(-time.Hour)
	w.change(storage.Inserted, first, 1)
	w.wantLatest(first)
	w.change(storage.Inserted, second, 2)
	w.wantLatest(second)
	w.change(storage.Inserted, first.Add(time.Minute), 3) // late
	w.wantLatest(second)
	w.change(storage.Corrected, second, 4)
	if v, _ := w.stored().Attrs.Get("value"); v != model.NumberValue(model.NewDecimal(4)) {
		t.Errorf("the correction is not in the item: %v", v)
	}
	w.change(storage.Deleted, second, 0)
	w.wantLatest(first.Add(time.Minute))
	w.change(storage.Deleted, first.Add(time.Minute), 0)
	w.change(storage.Deleted, first, 0)
	w.wantLatest(0)
}

// The item says when it was created, and not when it was last written.
func TestFoldLatest_KeepsTheTimeOfItsCreation(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	created := w.now()
	for i := range 3 {
		w.change(storage.Inserted, noon.Add(time.Duration(i-5)*time.Hour), int64(i))
		if got := w.stored().CreatedAt; got != created {
			t.Errorf("after event %d the item was created at %s, want %s", i, got, created)
		}
		w.setNow(w.now().Add(time.Minute))
	}
}

// A deletion is folded at once, also where its bucket is left to a sweep.
func TestFoldLatest_DropsADeletedEventOfAnOpenBucket(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, true)
	closed, open := noon.Add(-3*time.Hour), noon
	w.change(storage.Inserted, open, 1)
	w.wantLatest(0) // left to the sweep
	w.change(storage.Inserted, closed, 2)
	w.wantLatest(open) // folded with the closed bucket
	if r := w.process(storage.Deleted, open, "value", 0); r.Reads != 2 || r.Writes != 1 {
		t.Errorf("%d reads and %d writes, want 2 and 1, of the item", r.Reads, r.Writes)
	}
	w.wantLatest(closed)
}

// Each series of a batch with deletions is folded, however many of its events were deleted.
func TestFoldLatest_DropsTheDeletedEventsOfEachSeriesOfABatch(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, true)
	closed, open := noon.Add(-3*time.Hour), noon
	first, second := w.series, w.series
	second.Stream = "second"
	var deletions []storage.Change
	for _, s := range []model.Series{first, second} {
		w.series = s
		w.change(storage.Inserted, open, 1)
		w.change(storage.Inserted, open.Add(time.Second), 2)
		w.change(storage.Inserted, closed, 3)
		w.wantLatest(open.Add(time.Second))
		for _, when := range []model.Time{open, open.Add(time.Second)} {
			key := model.EventKey{Series: s, Order: model.Order{At: when}}
			if err := w.table.DeleteItem(context.Background(), keys.Event(key)); err != nil {
				t.Fatal(err)
			}
			deletions = append(deletions, storage.Change{Type: storage.Deleted, Key: key, At: w.now()})
		}
	}
	if r := w.agg.Process(context.Background(), deletions); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	for _, s := range []model.Series{first, second} {
		w.series = s
		w.wantLatest(closed)
	}
}

func TestFoldLatest_KeepsAnEventThatExpired(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	first := noon.Add(-time.Hour)
	w.change(storage.Inserted, first, 1)
	w.setNow(noon.Add(w.kind.Retention.Raw - 2*time.Hour))
	e := model.EventKey{Series: w.series, Order: model.Order{At: first}}
	w.setNow(noon.Add(w.kind.Retention.Raw))
	if err := w.table.DeleteItem(context.Background(), keys.Event(e)); err != nil { // by TTL
		t.Fatal(err)
	}
	old := first.Add(-time.Hour)
	w.change(storage.Inserted, old, 2)
	w.wantLatest(first)
	if n := w.stored(); n.ExpiresAt == 0 || !n.ExpiryKnown {
		t.Errorf("the item does not say when its event expired: %+v", n)
	}
}

func TestFoldLatest_NeverNamesEnrichment(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	enrich := func(owner string) {
		set := item.Item{keys.AttrPK: {Type: item.S, S: keys.Latest(w.series).PK},
			keys.AttrSK: {Type: item.S, S: keys.Latest(w.series).SK}, "owner": {Type: item.S, S: owner}}
		if err := w.table.UpdateItem(context.Background(), set); err != nil {
			t.Fatal(err)
		}
	}
	enrich("ada")
	for i, what := range []storage.ChangeType{storage.Inserted, storage.Corrected, storage.Deleted,
		storage.Inserted} {
		w.change(what, noon.Add(-time.Hour), int64(i))
		if v, _ := w.stored().Attrs.Get("owner"); v.Text != "ada" {
			t.Errorf("after change %d the owner is %q", i, v.Text)
		}
	}
}

// A purge has locked or removed the item: a fold must not write it again.
func TestFoldLatest_LeavesAPurgedSubjectAlone(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	lock := tablekeys.PurgeLock(w.series.Subject)
	if err := w.table.PutItem(context.Background(),
		item.Item{keys.AttrPK: {Type: item.S, S: lock.PK}, keys.AttrSK: {Type: item.S, S: lock.SK}}); err != nil {
		t.Fatal(err)
	}
	w.change(storage.Inserted, noon.Add(-time.Hour), 1)
	if it, _ := w.table.GetItem(context.Background(), keys.Latest(w.series)); it != nil {
		t.Errorf("the fold created %v", it)
	}
}

// foldFaults makes the first writes of the item fail, or loses their responses, or lets an
// append of the transaction mode come between.
type foldFaults struct {
	store
	results []storage.WriteResult
	between func()
	fails   bool
}

func (f *foldFaults) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	if len(f.results) == 0 {
		return f.store.(interface {
			Update(context.Context, itemop.Action) (storage.WriteResult, error)
		}).Update(ctx, a)
	}
	first := f.results[0]
	f.results = f.results[1:]
	if f.fails {
		return storage.Unknown, nil
	}
	if f.between != nil {
		f.between()
		f.between = nil
	}
	r, err := f.store.(interface {
		Update(context.Context, itemop.Action) (storage.WriteResult, error)
	}).Update(ctx, a)
	if first == storage.Unknown {
		r = first
	}
	return r, err
}

func TestFoldLatest_RepeatsAWriteWithoutAResponse(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	w.agg.Store = &foldFaults{store: w.table, results: []storage.WriteResult{storage.Unknown, storage.Unknown}}
	w.change(storage.Inserted, noon.Add(-time.Hour), 1)
	w.wantLatest(noon.Add(-time.Hour))
}

// While the configuration changes, an append may still write the item with its event.
func TestFoldLatest_DoesNotOverwriteAnAppendThatItDidNotRead(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	newer := noon.Add(-time.Minute)
	w.agg.Store = &foldFaults{store: w.table, results: []storage.WriteResult{storage.Written}, between: func() {
		it := item.FromLatest(&model.Latest{Series: w.series, Ordered: true, Order: model.Order{At: newer}})
		if err := w.table.PutItem(context.Background(), it); err != nil {
			t.Fatal(err)
		}
	}}
	w.change(storage.Inserted, noon.Add(-time.Hour), 1)
	w.wantLatest(newer)
	w.agg.Store = &foldFaults{store: w.table, results: []storage.WriteResult{storage.Written}, between: func() {
		newer = newer.Add(time.Second)
		it := item.FromLatest(&model.Latest{Series: w.series, Ordered: true, Order: model.Order{At: newer}})
		if err := w.table.PutItem(context.Background(), it); err != nil {
			t.Fatal(err)
		}
	}}
	w.change(storage.Deleted, noon.Add(-time.Hour), 1)
	w.wantLatest(newer)
}

// The item could not be written: the change of its deletion fails, so it is delivered again. That is so in an
// open bucket too, which is not recomputed.
func TestFoldLatest_FailsTheDeletionThatItCannotFold(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]model.Time{"closed": noon.Add(-3 * time.Hour), "open": noon} {
		w := newLatestWorld(t, true)
		w.change(storage.Inserted, when, 1)
		w.agg.Limits.Attempts = 2
		w.agg.Store = &foldFaults{store: w.table, results: make([]storage.WriteResult, 99), fails: true}
		if r := w.process(storage.Deleted, when, "value", 1); len(r.Failures) == 0 {
			t.Errorf("%s bucket: the change did not fail", name)
		}
	}
}

// An event that is not stored any more was deleted, unless it expires within an hour.
func TestFoldLatest_KeepsAnEventThatMayHaveExpired(t *testing.T) {
	t.Parallel()
	for left, kept := range map[time.Duration]bool{time.Hour + time.Second: false, time.Hour: true} {
		w := newLatestWorld(t, true)
		w.change(storage.Inserted, noon.Add(-3*time.Hour), 1)
		w.setNow(noon.Add(w.kind.Retention.Raw - left))
		w.change(storage.Deleted, noon.Add(-3*time.Hour), 1)
		want := model.Time(0)
		if kept {
			want = noon.Add(-3 * time.Hour)
		}
		w.wantLatest(want)
	}
}

// Enrichment may change while the item is folded: the fold names none of it.
func TestFoldLatest_KeepsEnrichmentThatItDidNotRead(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*latestWorld){
		"enrichment only": func(*latestWorld) {},
		"with an event": func(w *latestWorld) {
			w.change(storage.Inserted, noon.Add(-3*time.Hour), 1)
			w.setNow(noon.Add(w.kind.Retention.Raw)) // it is about to expire
		},
	} {
		w := newLatestWorld(t, true)
		owner := func(name string) {
			it := item.Item{"owner": {Type: item.S, S: name}}
			a := itemop.Action{Key: keys.Latest(w.series), Set: it}
			if result, err := w.table.Update(context.Background(), a); err != nil || result != storage.Written {
				t.Fatal(result, err)
			}
		}
		before(w)
		owner("ada")
		w.agg.Store = &foldFaults{store: w.table, results: []storage.WriteResult{storage.Written},
			between: func() { owner("bob") }}
		w.change(storage.Deleted, noon.Add(-3*time.Hour), 1)
		if v, _ := w.stored().Attrs.Get("owner"); v.Text != "bob" {
			t.Errorf("%s: the owner is %q, want bob", name, v.Text)
		}
	}
}

// The revision shows a write. A repeated insert or a late event is none; a repeated deletion is one.
func TestFoldLatest_WritesOnlyAnotherEventOrAfterADeletion(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	newest, late := noon.Add(-time.Hour), noon.Add(-2*time.Hour)
	w.change(storage.Inserted, newest, 1)
	for name, c := range map[string]struct {
		what   storage.ChangeType
		when   model.Time
		writes bool
	}{"the same insert": {storage.Inserted, newest, false}, "a late event": {storage.Inserted, late, false},
		"a deletion": {storage.Deleted, late, true}} {
		before := w.stored()
		w.change(c.what, c.when, 1)
		after := w.stored()
		if wrote := after.Rev != before.Rev; wrote != c.writes || after.Rev == [16]byte{} ||
			after.Order != before.Order {
			t.Errorf("%s: wrote %t, revision %x, want %t and the same event", name, wrote, after.Rev, c.writes)
		}
	}
	before := w.stored()
	w.change(storage.Inserted, newest.Add(time.Minute), 1) // the same value at another time
	if after := w.stored(); after.Rev == before.Rev || after.Hash != before.Hash {
		t.Errorf("a newer event of the same value: %+v, want it", after)
	}
}

// A fold replaces the fields of the event before.
func TestFoldLatest_RemovesFieldsOfTheEventBefore(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	first, second := noon.Add(-2*time.Hour), noon.Add(-time.Hour)
	w.process(storage.Inserted, first, "pressure", 1)
	w.process(storage.Inserted, second, "value", 2)
	if l := w.stored(); len(l.Attrs) != 1 || l.Attrs[0].Name != "value" {
		t.Errorf("fields %v, want value", l.Attrs)
	}
	w.process(storage.Deleted, second, "value", 2)
	if l := w.stored(); len(l.Attrs) != 1 || l.Attrs[0].Name != "pressure" {
		t.Errorf("fields %v, want pressure", l.Attrs)
	}
}

// An append of the transaction mode stored the item without the expiry of its event. A deletion of
// another event leaves the expiry unknown: the event may have expired when it is not stored any more.
func TestFoldLatest_LeavesAnUnknownExpiryUnknown(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	newest := noon.Add(-time.Minute)
	it := item.FromLatest(&model.Latest{Series: w.series, Ordered: true, Order: model.Order{At: newest}})
	if err := w.table.PutItem(context.Background(), it); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.change(storage.Deleted, noon.Add(-time.Hour), 0)
		w.wantLatest(newest)
		if w.stored().ExpiryKnown {
			t.Error("the item says that its event never expires")
		}
	}
}

// During a deployment a newer ingest may write events that this release cannot read: the row counts them, the
// last reading stays, and the record holds up no other.
func TestFoldLatest_KeepsTheItemFromAnEventThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	w := newLatestWorld(t, false)
	good, newer := noon.Add(-3*time.Hour), noon.Add(-time.Hour)
	w.change(storage.Inserted, good, 21)
	for _, damage := range []item.Item{
		{keys.AttrVersion: {Type: item.N, S: "99"}},
		{tablekeys.AttrHash: {Type: item.S, S: "damaged"}},
	} {
		attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(22))}}
		e := model.Event{Series: w.series, Order: model.Order{At: newer}, Attrs: attrs,
			Hash: model.HashAttrs(attrs), ArrivedAt: w.now(), ExpiresAt: w.kind.Retention.EventExpiresAt(w.now())}
		it := item.FromEvent(&e)
		maps.Copy(it, damage)
		if err := w.table.PutItem(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		r := w.agg.Process(t.Context(), []storage.Change{{Type: storage.Inserted, Key: e.Key(), At: w.now()}})
		if len(r.Failures) > 0 || r.LatestSkipped == 0 {
			t.Errorf("%v: failures %v, %d skipped; want none, and the event counted", damage, r.Failures,
				r.LatestSkipped)
		}
		w.wantLatest(good)
		if v, _ := w.stored().Attrs.Get("value"); v != model.NumberValue(model.NewDecimal(21)) {
			t.Errorf("%v: the item has %v, want the last reading that can be read", damage, w.stored().Attrs)
		}
	}
}

// One process does it once a day, when it writes the day of the newest event into the list of series.
func TestProcess_ShedsTheUnsentFieldsOfALargeLatestItemOnceADay(t *testing.T) {
	t.Parallel()
	w := &latestWorld{world: newWorldWith(t, gauge)}
	large := &model.Latest{Series: w.series, Ordered: true, Order: model.Order{At: noon}}
	for n := range 200 {
		large.Attrs = append(large.Attrs, model.Attr{
			Name: fmt.Sprintf("debug%03d", n), Value: model.TextValue(strings.Repeat("x", 100)),
		})
	}
	for _, step := range []struct {
		hours, fields int
		what          string
	}{
		{-30, 200, "the first event of a series"},
		{-28, 200, "another one of the same day"},
		{-1, 0, "the first one of a day"},
	} {
		if err := w.table.PutItem(t.Context(), item.FromLatest(large)); err != nil {
			t.Fatal(err)
		}
		w.change(storage.Inserted, noon.Add(time.Duration(step.hours)*time.Hour), 1)
		if got := len(w.stored().Attrs); got != step.fields {
			t.Errorf("%s: the latest item has %d undeclared fields, want %d", step.what, got, step.fields)
		}
	}
}
