package hidevalue_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

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

func newWorld(t *testing.T) *world {
	w := &world{T: t}
	w.now, _ = model.ParseTime("2026-04-10T12:00:00Z", model.RejectFinerTime)
	clock := func() model.Time { return w.now }
	w.Table = memory.New(clock)
	kinds, err := catalog.New(catalog.Kind{
		Name: "VIEW", Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest,
		Dimensions: []rollup.DimensionSpec{{Name: "path"}, {Name: "source"}},
		Retention: tier.Policy{Raw: 5 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * day},
			{Unit: tier.Day, Retention: tier.Forever}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.kinds = kinds
	w.hider = &hidevalue.Hider{Table: w.Table, Catalog: kinds, Now: clock, Rand: rand.Reader}
	agg := &aggregate.Aggregator{Store: w.Table, QuarantineStore: w.Table, Catalog: kinds, Now: clock}
	var changes []storage.Change
	for i, path := range []string{"/", secret, "/", secret, "/b"} {
		at := w.now.Add(time.Duration(i) * time.Minute)
		e := model.Event{Series: model.Series{Subject: site, Kind: "VIEW"}, Order: model.Order{At: at,
			ID: fmt.Sprint(i)}, ArrivedAt: at, ExpiresAt: at.Add(5 * day).Seconds(),
			Attrs: model.Attrs{{Name: "path", Value: model.TextValue(path)}, {Name: "source",
				Value: model.TextValue(path)}}}
		e.Hash = model.HashOf(e.Attrs)
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
		Tier: unit.String(), Start: unit.BucketOf(w.start()).Start})
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

var selection = hidevalue.Selection{Subject: site, Field: "path", Value: secret}

func TestHide_RemovesAValueFromRowsWithoutEvents(t *testing.T) {
	w := newWorld(t)
	w.now = w.now.Add(6 * day) // the events have expired
	before := w.row(tier.Day)
	if r, err := w.hider.Count(t.Context(), selection); err != nil || r.Rows != 2 {
		t.Fatalf("count: %+v, %v; want 2 rows", r, err)
	}
	r, err := w.hider.Hide(t.Context(), selection)
	if err != nil || r != (hidevalue.Report{Rows: 2}) {
		t.Fatalf("hide: %+v, %v; want 2 rows", r, err)
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
	if r, err := w.hider.Hide(t.Context(), selection); err != nil || r.Rows != 0 {
		t.Errorf("again: %+v, %v; want nothing left", r, err)
	}
}

// Rollups follow events: a recomputation would bring the value back.
func TestHide_ChangesNothingWhileEventsHaveTheValue(t *testing.T) {
	w := newWorld(t)
	r, err := w.hider.Hide(t.Context(), selection)
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
	if _, err := w.hider.Hide(t.Context(), other); !errors.Is(err, hidevalue.ErrNoDimension) {
		t.Errorf("got %v, want ErrNoDimension", err)
	}
}
