package reshape_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/reshape"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const day = tier.Day24

// world is a table with two devices of a kind that gets a dimension.
type world struct {
	*testing.T
	table *memory.Table
	clock model.Time
	rooms bool // the dimension is declared
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, clock: parseTime("2026-04-10T00:00:00Z")}
	w.table = memory.New(func() model.Time { return w.clock })
	w.apply()
	return w
}

func parseTime(text string) model.Time {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return at
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// declared returns the kinds as declared.
func (w *world) declared() *catalog.Catalog {
	w.Helper()
	k := catalog.Kind{
		Name: "FLOW", Subject: catalog.SubjectType{Name: "DEVICE"}, Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9}},
		Retention: tier.Policy{Raw: 5 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 90 * day}, {Unit: tier.Day, Retention: 730 * day}, {Unit: tier.Month, Retention: tier.Forever}}},
	}
	if w.rooms {
		k.Dimensions = []rollup.DimensionSpec{{Name: "room"}}
	}
	kinds, err := catalog.New(k)
	w.must(err)
	return kinds
}

func (w *world) kinds() *catalog.Catalog {
	w.Helper()
	kinds := w.declared()
	w.must(tableconfig.Load(w.Context(), w.table, kinds, w.clock))
	return kinds
}

func (w *world) apply() {
	w.Helper()
	a := &tableconfig.Applier{Table: w.table, Now: func() model.Time { return w.clock },
		MaxAhead: 5 * time.Minute}
	_, err := a.Apply(w.Context(), w.declared())
	w.must(err)
}

// event stores an event of a device now and processes it.
func (w *world) event(device string) {
	w.Helper()
	kinds := w.kinds()
	attrs := model.Attrs{{Name: "room", Value: model.TextValue("a")},
		{Name: "value", Value: model.NumberValue(model.NewDecimal(1))}}
	e := model.Event{
		Series: kinds.Kinds[0].Series(device, "", model.Order{}), Order: model.Order{At: w.clock}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.clock, ExpiresAt: kinds.Kinds[0].Retention.EventExpiresAt(w.clock),
	}
	_, err := w.table.Put(w.Context(), e)
	w.must(err)
	agg := &aggregate.Aggregator{Store: w.table, QuarantineStore: w.table, Catalog: kinds,
		Now: func() model.Time { return w.clock }, Rand: rand.NewChaCha8([32]byte{1})}
	if report := agg.Process(w.Context(), []storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e,
		At: w.clock}}); len(report.Failures) > 0 {
		w.Fatal(report.Failures[0].Err)
	}
}

// addRooms fills ten days with an event every six hours, declares the dimension on the
// last day, and lets the functions read it.
func (w *world) addRooms() {
	w.Helper()
	for range 40 {
		w.clock = w.clock.Add(6 * time.Hour)
		w.event("d1")
		w.event("d2")
	}
	w.table.Expire(w.clock)
	w.rooms = true
	w.apply()
	w.clock = w.clock.Add(2 * time.Hour)
	w.event("d1")
}

func (w *world) reshaper(table reshape.Table) *reshape.Reshaper {
	return &reshape.Reshaper{Table: table, Catalog: w.kinds(), Now: func() model.Time { return w.clock },
		Retrier: retry.Retrier{Rand: rand.NewChaCha8([32]byte{2})}}
}

// rows returns how many rows of a tier have the dimension in all of their events, say so,
// or say that they are partial.
func (w *world) rows(unit tier.Unit) (whole, partial int) {
	w.Helper()
	kind := &w.kinds().Kinds[0]
	for _, device := range []string{"d1", "d2"} {
		page, err := w.table.Rows(w.Context(), unit,
			storage.Range{Series: kind.Series(device, "", model.Order{}), From: model.MinTime, To: model.MaxTime})
		w.must(err)
		for _, row := range page.Rows {
			d, _ := row.Summary.Dimension("room")
			counted := d.Other
			for _, v := range d.Values {
				counted += v.Count
			}
			switch said := len(kind.Spec().Partial(&row.Fold)) == 0; {
			case said && counted == row.Summary.Events():
				whole++
			case said:
				w.Errorf("%s %s says that the dimension is whole, with %d of %d events", unit, row.Key.Start, counted,
					row.Summary.Events())
			default:
				partial++
			}
		}
	}
	return whole, partial
}

// contents returns every stored item.
func (w *world) contents() map[keys.Key]item.Item {
	w.Helper()
	all := map[keys.Key]item.Item{}
	for after := (keys.Key{}); ; {
		items, next, err := w.table.Scan(w.Context(), after)
		w.must(err)
		for _, it := range items {
			all[it.Key()] = it
		}
		if after = next; after == (keys.Key{}) {
			return all
		}
	}
}

func TestCompare_ReportsWhatSwitchDoesAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRooms()
	before := w.contents()
	compared, err := w.reshaper(w.table).Compare(t.Context(), "FLOW")
	w.must(err)
	if diff := cmp.Diff(before, w.contents()); diff != "" {
		t.Fatalf("compare wrote (-before +after):\n%s", diff)
	}
	switched, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
	w.must(err)
	if diff := cmp.Diff(switched, compared); diff != "" {
		t.Errorf("(-switched +compared):\n%s", diff)
	}
}

// Events of the first five days have expired: their rows keep their numbers and say that
// they are partial. The others get the dimension, and the table says from when.
func TestSwitch_RecomputesWhatEventsAllowAndTheRestRemainsPartial(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRooms()
	report, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
	w.must(err)
	for i, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		whole, partial := w.rows(unit)
		if got := report.Tiers[i]; got.After != partial || got.Rows != whole+partial ||
			got.Before <= got.After && unit != tier.Month {
			t.Errorf("%s: reported %+v, but %d rows are whole and %d partial", unit, got, whole, partial)
		}
		if unit == tier.Hour && (whole < 30 || partial < 30) {
			t.Errorf("%d hours are whole and %d partial: the history proves nothing", whole, partial)
		}
	}
	room, _ := w.kinds().Kinds[0].Spec().Added.Find(rollup.DimensionRole, "room")
	if room.WholeFrom < parseTime("2026-04-15T00:00:00Z") ||
		room.WholeFrom > parseTime("2026-04-15T12:00:00Z") || room.Since != parseTime("2026-04-20T00:00:00Z") {
		t.Errorf("whole from %s since %s, want from the first stored event and since the change", room.WholeFrom,
			room.Since)
	}
	again, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
	w.must(err)
	if again.Tiers[0].Before != again.Tiers[0].After {
		t.Errorf("the second run changed rows: %+v", again.Tiers)
	}
}

func TestSwitch_WaitsUntilEveryProcessKnowsTheFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.event("d1")
	w.rooms = true
	w.apply()
	var early *reshape.TooEarlyError
	if _, err := w.reshaper(w.table).Switch(t.Context(), "FLOW"); !errors.As(err, &early) ||
		early.From != w.clock.Add(tableconfig.Lead) {
		t.Errorf("%v, want it refused for an hour", err)
	}
	if _, partial := w.rows(tier.Hour); partial != 1 {
		t.Errorf("%d partial hours, want the row as it was", partial)
	}
	w.clock = early.From
	_, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
	w.must(err)
	room, _ := w.kinds().Kinds[0].Spec().Added.Find(rollup.DimensionRole, "room")
	if _, partial := w.rows(tier.Month); partial != 0 || room.WholeFrom != model.MinTime {
		t.Errorf("%d partial months, whole from %s; want everything whole", partial, room.WholeFrom)
	}
}

var errStopped = errors.New("stopped")

// stopping fails every request from the n-th write on, after storing that write or not.
type stopping struct {
	*memory.Table
	left   int
	stored bool
}

func (s *stopping) stop(write func() (storage.WriteResult, error)) (storage.WriteResult, error) {
	if s.left--; s.left > 0 {
		return write()
	}
	if s.left == 0 && s.stored {
		_, _ = write()
	}
	return storage.Unknown, errStopped
}

func (s *stopping) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	return s.stop(func() (storage.WriteResult, error) { return s.Table.PutRow(ctx, row, prev) })
}

// A run that stops at any write, before or after it is stored, leaves only rows that say
// what they have. The next run ends as one that was not interrupted.
func TestSwitch_ContinuesAfterAnInterruptionAtAnyWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addRooms()
	want, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
	w.must(err)
	stopped := 0
	for n := 1; ; n += 7 {
		w := newWorld(t)
		w.addRooms()
		r := w.reshaper(&stopping{Table: w.table, left: n, stored: n%2 == 0})
		r.Rate = 1 // one row after another
		r.Retrier.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
		if _, err := r.Switch(t.Context(), "FLOW"); err == nil {
			break
		}
		stopped++
		if room, _ := w.kinds().Kinds[0].Spec().Added.Find(rollup.DimensionRole,
			"room"); room.WholeFrom != room.Since {
			t.Fatalf("write %d: a run that was stopped recorded whole from %s", n, room.WholeFrom)
		}
		for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			w.rows(unit)
		}
		got, err := w.reshaper(w.table).Switch(t.Context(), "FLOW")
		w.must(err)
		for i := range got.Tiers {
			got.Tiers[i].Before = want.Tiers[i].Before
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("stopped at write %d (-want +got):\n%s", n, diff)
		}
	}
	if stopped < 5 {
		t.Errorf("only %d runs were stopped", stopped)
	}
	if !slices.Contains(want.Fields, rollup.AddedField{Role: rollup.DimensionRole, Name: "room",
		Since: parseTime("2026-04-20T00:00:00Z"), WholeFrom: want.Fields[0].WholeFrom}) {
		t.Error(fmt.Sprint(want.Fields))
	}
}
