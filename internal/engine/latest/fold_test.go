package latest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// paused is a table that does something before the next write of a latest item.
type paused struct {
	*memory.Table
	before func()
}

func (p *paused) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	if do := p.before; do != nil {
		p.before = nil
		do()
	}
	return p.Table.Update(ctx, a)
}

func (h *history) fold(store latest.Store, changes ...storage.Change) (latest.Report, error) {
	f := latest.Folder{
		Store: store, Now: h.now, NewRev: func() (rollup.Rev, error) { return ids.Nonce(h.service.Rand) },
		Retrier: retry.Retrier{Rand: h.service.Rand, Sleep: h.service.Sleep},
	}
	return f.Fold(h.Context(), h.kind, h.series(), changes, false)
}

// put stores an event of a minute as another program does.
func (h *history) put(minute int, late bool, fields ...any) *model.Event {
	var attrs model.Attrs
	for i := 0; i < len(fields); i += 2 {
		attrs = append(attrs,
			model.Attr{Name: fields[i].(string), Value: model.NumberValue(model.NewDecimal(int64(fields[i+1].(int))))})
	}
	e := model.Event{Series: h.series(), Order: model.Order{At: noon + model.Time(minute*60_000)}, Attrs: attrs,
		Hash: model.HashAttrs(attrs), ArrivedAt: noon, Late: late}
	if err := h.table.PutItem(h.Context(), item.FromEvent(&e)); err != nil {
		h.Fatal(err)
	}
	return &e
}

func (h *history) drop(e *model.Event) storage.Change {
	if err := h.table.DeleteItem(h.Context(), keys.Event(e.Key())); err != nil {
		h.Fatal(err)
	}
	return storage.Change{Type: storage.Deleted, Key: e.Key(), Before: e, At: noon}
}

func (h *history) want(text string) {
	h.Helper()
	l := h.latest()
	got := ""
	if l.Ordered {
		got = fmt.Sprint(int(l.At-noon)/60_000, " ")
	}
	for _, a := range l.Attrs {
		got += fmt.Sprint(a.Name, "=", a.Value.Number, " ")
	}
	if got != text {
		h.Errorf("the latest item is %q, want %q", got, text)
	}
}

// inserted returns the change of a late event, which creates the item if there is none.
func inserted(e *model.Event) storage.Change {
	return storage.Change{Type: storage.Inserted, Key: e.Key(), After: e, At: noon}
}

// A console deletes the newest event. The record of another change comes first: the item keeps time and
// fields of the deleted event until the record of its deletion comes.
func TestFold_AnotherChangeNeverMixesTwoEvents(t *testing.T) {
	h := newHistory(t, 1)
	old := h.put(1, false, "a", 1)
	newest := h.put(2, false, "a", 2)
	if _, err := h.fold(h.table, inserted(old), inserted(newest)); err != nil {
		t.Fatal(err)
	}
	deletion := h.drop(newest)
	corrected := h.put(1, false, "a", 3)
	change := storage.Change{Type: storage.Corrected, Key: old.Key(), Before: old, After: corrected, At: noon}
	for _, of := range []struct {
		change storage.Change
		want   string
	}{{change, "2 a=2 "}, {deletion, "1 a=3 "}, {change, "1 a=3 "}} {
		if _, err := h.fold(h.table, of.change); err != nil {
			t.Fatal(err)
		}
		h.want(of.want)
	}
}

// The newest event was corrected and then deleted: the record of the correction has an image that has not
// expired, so an event that is not stored any more was deleted.
func TestFold_ACorrectionOfADeletedEventIsItsDeletion(t *testing.T) {
	h := newHistory(t, 1)
	late := h.put(1, true, "c", 1)
	newest := h.put(2, false, "c", 2)
	if _, err := h.fold(h.table, inserted(late), inserted(newest)); err != nil {
		t.Fatal(err)
	}
	corrected := h.put(2, false, "c", 3)
	h.drop(corrected)
	change := storage.Change{Type: storage.Corrected, Key: newest.Key(), Before: newest, After: corrected,
		At: noon}
	if _, err := h.fold(h.table, change); err != nil {
		t.Fatal(err)
	}
	h.want("1 c=1 ")
}

// A fold that read the events before a deletion cannot write after the fold of that deletion, also where that
// one changed nothing but the revision.
func TestFold_WritesOnlyIfNoOtherFoldHasWritten(t *testing.T) {
	h := newHistory(t, 1)
	old := h.put(1, true, "a", 1)
	if _, err := h.fold(h.table, inserted(h.put(2, true, "b", 2)), inserted(old)); err != nil {
		t.Fatal(err)
	}
	h.want("2 a=1 b=2 ")
	corrected := h.put(1, true, "a", 3)
	change := storage.Change{Type: storage.Corrected, Key: old.Key(), Before: old, After: corrected, At: noon}
	store := &paused{Table: h.table}
	store.before = func() { // the correction is corrected back, and its fold finds the item as it should be
		back := storage.Change{Type: storage.Corrected, Key: old.Key(), Before: corrected,
			After: h.put(1, true, "a", 1), At: noon}
		if _, err := h.fold(h.table, back); err != nil {
			t.Fatal(err)
		}
	}
	report, err := h.fold(store, change)
	if err != nil || len(report.Writes) != 2 || report.Writes[0] != storage.ConditionFailed {
		t.Errorf("writes %v, %v; want a failed condition and a second attempt", report.Writes, err)
	}
	h.want("2 a=1 b=2 ")
}

// The event of the item expired; then a deletion of an older one does not lower the item.
func TestFold_KeepsWhatExpired(t *testing.T) {
	h := newHistory(t, 1)
	older, newest := h.put(1, false, "a", 1, "b", 1), h.put(2, false, "a", 2)
	if _, err := h.fold(h.table, inserted(older), inserted(newest)); err != nil {
		t.Fatal(err)
	}
	h.drop(newest) // by TTL: not a change
	if _, err := h.fold(h.table, h.drop(older)); err != nil {
		t.Fatal(err)
	}
	h.want("2 a=2 ") // b was of the deleted event
}

// Deletion of all events removes order and fields, and what another program added stays.
func TestFold_DeletionOfEveryEventLeavesEnrichment(t *testing.T) {
	h := newHistory(t, 1)
	only := h.put(1, false, "a", 1, "b", 2)
	owner := model.Attrs{{Name: "owner", Value: model.NumberValue(model.NewDecimal(7))}}
	if _, err := h.service.Enrich(t.Context(), h.table, h.kind, h.series(), owner, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := h.fold(h.table, inserted(only)); err != nil {
		t.Fatal(err)
	}
	h.want("1 a=1 b=2 owner=7 ")
	if _, err := h.fold(h.table, h.drop(only)); err != nil {
		t.Fatal(err)
	}
	h.want("owner=7 ")
	if it, _ := h.table.GetItem(t.Context(), keys.Latest(h.series())); it.IndexKey("gsi1") != (keys.Key{}) {
		t.Error("the item is still in the index")
	}
}

// An event that cannot be decoded never empties an item, and holds up no record: its fields are not known, so
// the values of the item stay.
func TestFold_UnreadableEvents(t *testing.T) {
	for name, damage := range map[string]func(item.Item){
		"newer format": func(it item.Item) { it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"} },
		"damaged":      func(it item.Item) { it[tablekeys.AttrHash] = item.Value{Type: item.S, S: "damaged"} },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 1)
			older := h.put(1, false, "a", 1, "b", 1)
			h.mustFold(0, inserted(older))
			own := h.put(2, false, "a", 2)
			h.mustFold(0, inserted(own))
			h.want("2 a=2 b=1 ")
			h.damage(own, damage)
			h.mustFold(1, storage.Change{Type: storage.Corrected, Key: own.Key(), At: noon})
			h.want("2 a=2 b=1 ")
			after := h.put(1, false, "a", 3, "b", 3)
			h.mustFold(1, storage.Change{Type: storage.Corrected, Key: older.Key(), Before: older, After: after,
				At: noon})
			h.want("2 a=2 b=3 ")
			newest := h.put(3, false, "a", 4)
			h.damage(newest, damage)
			h.mustFold(1, storage.Change{Type: storage.Inserted, Key: newest.Key(), At: noon})
			h.want("2 a=2 b=3 ")
		})
	}
}

// damage stores an event so that it cannot be decoded.
func (h *history) damage(e *model.Event, how func(item.Item)) {
	it := item.FromEvent(e)
	how(it)
	if err := h.table.PutItem(h.Context(), it); err != nil {
		h.Fatal(err)
	}
}

// mustFold folds, and requires the number of events that could not be decoded.
func (h *history) mustFold(skipped int, changes ...storage.Change) {
	h.Helper()
	if report, err := h.fold(h.table, changes...); err != nil || report.Skipped != skipped {
		h.Fatalf("%+v, %v; want %d events that could not be decoded", report, err, skipped)
	}
}

// A field that no event within the bound of the walk has goes only if its value is of the changed event.
func TestFold_WalkIsBounded(t *testing.T) {
	h := newHistory(t, 1)
	kept, gone := h.put(-2000, false, "a", 1), h.put(-1999, false, "b", 1)
	if _, err := h.fold(h.table, inserted(kept), inserted(gone)); err != nil {
		t.Fatal(err)
	}
	for i := range 1100 {
		h.put(-1100+i, false, "c", i)
	}
	report, err := h.fold(h.table, inserted(h.put(0, true, "c", 9)), h.drop(gone),
		storage.Change{Type: storage.Corrected, Key: kept.Key(), After: kept, At: noon})
	if err != nil || report.Bounded != 1 || report.Reads > 20 {
		t.Errorf("%+v, %v; want one bounded fold of at most 20 requests", report, err)
	}
	h.want("0 a=1 c=9 ")
}

func TestFold_LeavesAPurgedItemAlone(t *testing.T) {
	h := newHistory(t, 1)
	lock := item.FromLatest(&model.Latest{Series: h.series(), PurgeLocked: true})
	if err := h.table.PutItem(t.Context(), lock); err != nil {
		t.Fatal(err)
	}
	if report, err := h.fold(h.table, inserted(h.put(1, true, "a", 1))); err != nil || len(report.Writes) != 0 {
		t.Errorf("%+v, %v; want no write", report, err)
	}
}

// A derived latest item whose events were all deleted expires, unless it may have enrichment; with an event
// it stays again.
func TestFold_AnEmptyDerivedItemExpires(t *testing.T) {
	for _, enrichment := range [][]string{nil, {"owner"}} {
		h := newHistory(t, 1)
		kind := *h.kind
		kind.Latest, kind.LatestBy = catalog.DerivedLatest, nil
		kind.Enrichment = enrichment
		h.kind = &kind
		want := func(what string, change storage.Change, expires bool) {
			if _, err := h.fold(h.table, change); err != nil {
				t.Fatal(err)
			}
			it, err := h.table.GetItem(h.Context(), keys.Latest(h.series()))
			if err != nil || it == nil {
				t.Fatal(it, err)
			}
			at, found := it[keys.AttrExpiresAt]
			if found != expires || expires && at.S != item.Number(noon.Add(24*time.Hour).Seconds()).S {
				t.Errorf("enrichment %v, %s: expires %t at %s, want %t", enrichment, what, found, at.S, expires)
			}
		}
		first := h.put(1, false, "a", 1)
		want("with an event", inserted(first), false)
		want("without one", h.drop(first), len(enrichment) == 0)
		want("with another", inserted(h.put(2, false, "a", 2)), false)
	}
}
