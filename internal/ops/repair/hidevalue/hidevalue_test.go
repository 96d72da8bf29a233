package hidevalue_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/hidevalue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const (
	day    = tier.Day24
	secret = "/reset/abc"
)

var site = model.Subject{Type: "SITE", ID: "a"}

// world is a table with the views of a site, by a clock of its own.
type world struct {
	*testing.T
	*memory.Table
	now   model.Time
	kinds *catalog.Catalog
	hider *hidevalue.Hider
}

// emptyWorld returns a world of a kind at a time, without events.
func emptyWorld(t *testing.T, at string, kind catalog.Kind) *world {
	t.Helper()
	w := &world{T: t}
	w.now, _ = model.ParseTime(at, model.RejectFinerTime)
	clock := func() model.Time { return w.now }
	w.Table = memory.New(clock)
	var err error
	if w.kinds, err = catalog.New(kind); err != nil {
		t.Fatal(err)
	}
	w.hider = &hidevalue.Hider{Table: w.Table, Catalog: w.kinds, Now: clock, Rand: rand.Reader}
	return w
}

func newWorld(t *testing.T) *world {
	w := emptyWorld(t, "2026-04-10T12:00:00Z", catalog.Kind{
		Name: "VIEW", Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest,
		Dimensions: []rollup.DimensionSpec{{Name: "path"}, {Name: "prop1"}, {Name: "source"}},
		Properties: []string{"prop1"},
		Retention: tier.Policy{Raw: 5 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * day},
			{Unit: tier.Day, Retention: tier.Forever}}},
	})
	agg := &aggregate.Aggregator{Store: w.Table, QuarantineStore: w.Table, Catalog: w.kinds,
		Now: func() model.Time { return w.now }}
	var changes []storage.Change
	for i, path := range []string{"/", secret, "/", secret, "/b"} {
		at := w.now.Add(time.Duration(i) * time.Minute)
		name := []string{"buy", "sell"}[i/2%2]
		property := webfield.Prop{Event: name, Name: "plan", Value: path}
		e := model.Event{Series: model.Series{Subject: site, Kind: "VIEW"}, Order: model.Order{At: at,
			ID: fmt.Sprint(i)}, ArrivedAt: at, ExpiresAt: at.Add(5 * day).Seconds(),
			Attrs: model.Attrs{{Name: webfield.Name, Value: model.TextValue(name)},
				{Name: "path", Value: model.TextValue(path)},
				{Name: "prop1", Value: model.TextValue(property.String())},
				{Name: "source", Value: model.TextValue(path)}}}
		e.Hash = model.HashAttrs(e.Attrs)
		if _, err := w.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, storage.Change{Type: storage.Inserted, Key: e.Key()})
	}
	if report := agg.Process(t.Context(), changes); len(report.Failures) > 0 {
		t.Fatal(report.Failures[0].Err)
	}
	return w
}

func (w *world) row(unit tier.Unit) *rollup.Row {
	w.Helper()
	row, err := w.Row(w.Context(), rollup.Key{Series: model.Series{Subject: site, Kind: "VIEW"},
		Tier: unit.String(), Start: unit.BucketAt(w.start()).Start})
	if err != nil || row == nil {
		w.Fatalf("%s: %v, %v", unit, row, err)
	}
	return row
}

func (w *world) start() model.Time {
	at, _ := model.ParseTime("2026-04-10T12:00:00Z", model.RejectFinerTime)
	return at
}

func (w *world) paths(unit tier.Unit) string {
	d, _ := w.row(unit).Summary.Dimension("path")
	return fmt.Sprint(d.Values, d.Other)
}

func (w *world) hide(s hidevalue.Selection) (hidevalue.Report, error) {
	return w.hider.Hide(w.Context(), s, new(hidevalue.Position))
}

func (w *world) count(s hidevalue.Selection) (hidevalue.Report, error) {
	s.DryRun = true
	return w.hide(s)
}

// onePage is a table whose caller's time ends after a page of one item.
type onePage struct {
	hidevalue.Table
	pages int
	end   context.CancelFunc
}

func (o *onePage) next(ctx context.Context) error {
	if o.pages--; o.pages < 0 {
		o.end()
	}
	return ctx.Err()
}

func (o *onePage) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := o.next(ctx); err != nil {
		return storage.EventPage{}, err
	}
	r.Limit = 1
	return o.Table.Events(ctx, r)
}

func (o *onePage) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := o.next(ctx); err != nil {
		return rollup.RowPage{}, err
	}
	r.Limit = 1
	return o.Table.Rows(ctx, unit, r)
}

func TestHide_GoesOnFromItsPosition(t *testing.T) {
	for _, pages := range []int{1, 2, 3} {
		w := newWorld(t)
		w.now = w.now.Add(6 * day) // the events have expired, and are still stored
		var total hidevalue.Report
		var at hidevalue.Position
		for call := 0; ; call++ {
			ctx, cancel := context.WithCancel(t.Context())
			w.hider.Table = &onePage{Table: w.Table, pages: pages, end: cancel}
			r, err := w.hider.Hide(ctx, selection, &at)
			cancel()
			total.Rows += r.Rows
			if err == nil {
				break
			}
			if call > 20 || !errors.Is(err, context.Canceled) {
				t.Fatalf("%d pages a call: %v at %+v", pages, err, at)
			}
			if at, err = hidevalue.ParsePosition(at.String()); err != nil {
				t.Fatal(err)
			}
		}
		const want = "[{/ 2} {/b 1}] 2"
		if hours, days := w.paths(tier.Hour), w.paths(tier.Day); total.Rows != 2 || hours != want || days != want {
			t.Errorf("%d pages a call: %+v, hours %s, days %s", pages, total, hours, days)
		}
	}
}

var selection = hidevalue.Selection{Subject: site, Field: "path", Value: secret}

func TestHide_RemovesAValueFromRowsWithoutEvents(t *testing.T) {
	w := newWorld(t)
	w.now = w.now.Add(6 * day) // the events have expired
	before := w.row(tier.Day)
	if r, err := w.count(selection); err != nil || r.Rows != 2 {
		t.Fatalf("count: %+v, %v; want 2 rows", r, err)
	}
	r, err := w.hide(selection)
	if diff := cmp.Diff(hidevalue.Report{Rows: 2}, r); err != nil || diff != "" {
		t.Fatalf("hide: %v (-want +got):\n%s", err, diff)
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		if got := w.paths(unit); got != "[{/ 2} {/b 1}] 2" {
			t.Errorf("%s: paths %s, want the events of the value as others", unit, got)
		}
		row := w.row(unit)
		if row.Digest != before.Digest || row.Summary.Events() != 5 || !row.Exact {
			t.Errorf("%s: %d events, exact %v: more than the value changed", unit, row.Summary.Events(), row.Exact)
		}
		if d, _ := row.Summary.Dimension("source"); len(d.Values) != 3 {
			t.Errorf("%s: sources %v, want all three", unit, d.Values)
		}
	}
	if row := w.row(tier.Day); row.Rev == before.Rev || row.ExpiresAt != before.ExpiresAt {
		t.Errorf("revision %s, expires %d; want another revision and the same expiry", row.Rev, row.ExpiresAt)
	}
	if r, err := w.hide(selection); err != nil || r.Rows != 0 {
		t.Errorf("again: %+v, %v; want nothing left", r, err)
	}
}

// A property is stored with the name of its event. It is removed of all events.
func TestHide_RemovesAPropertyByItsName(t *testing.T) {
	w := newWorld(t)
	property := hidevalue.Selection{Subject: site, Field: "props.plan", Value: secret}
	if r, err := w.count(property); err != nil || r.Events != 2 || r.Rows != 2 {
		t.Errorf("count: %+v, %v; want 2 events and 2 rows", r, err)
	}
	w.now = w.now.Add(6 * day)
	if r, err := w.hide(property); err != nil || r.Rows != 2 {
		t.Fatalf("hide: %+v, %v; want 2 rows", r, err)
	}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		d, _ := w.row(unit).Summary.Dimension("prop1")
		if got := fmt.Sprint(d.Values, d.Other); got != "[{buy?plan=/ 1} {buy?plan=/b 1} {sell?plan=/ 1}] 2" {
			t.Errorf("%s: properties %s, want the values of two events as others", unit, got)
		}
	}
	if paths := w.paths(tier.Day); paths != "[{/ 2} {/reset/abc 2} {/b 1}] 0" {
		t.Errorf("paths %s: more than the property changed", paths)
	}
	other := property
	other.Field = "props.plans"
	if r, err := w.hide(other); err != nil || r.Rows != 0 {
		t.Errorf("another property: %+v, %v; want nothing", r, err)
	}
}

// Rollups follow events: a recomputation would bring the value back.
func TestHide_ChangesNothingWhileEventsHaveTheValue(t *testing.T) {
	w := newWorld(t)
	r, err := w.hide(selection)
	if err != nil || r.Events != 2 {
		t.Errorf("%+v, %v; want 2 events", r, err)
	}
	if got := w.paths(tier.Day); got != "[{/ 2} {/reset/abc 2} {/b 1}] 0" {
		t.Errorf("paths %s, want them unchanged", got)
	}
}

func TestHide_NeedsADimension(t *testing.T) {
	w := newWorld(t)
	other := selection
	other.Field = "pth"
	if _, err := w.hide(other); !errors.Is(err, hidevalue.ErrNoDimension) {
		t.Errorf("got %v, want ErrNoDimension", err)
	}
}
