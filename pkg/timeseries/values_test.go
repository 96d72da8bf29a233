package timeseries_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

type color string

// allTypes has a field of each Go type that a tag accepts.
type allTypes struct {
	Subject string         `tide:"subject"`
	Stream  string         `tide:"stream"`
	At      time.Time      `tide:"time"`
	ID      string         `tide:"id"`
	Exact   model.Decimal  `tide:"measure"`
	Maybe   *model.Decimal `tide:"measure"`
	Float   float64        `tide:"measure"`
	Small   float32        `tide:"measure"`
	Count   int            `tide:"measure"`
	Tiny    int8           `tide:"measure"`
	Size    uint32         `tide:"measure"`
	Pointed *float64       `tide:"measure"`
	Text    string         `tide:"field"`
	Color   color          `tide:"field"`
	Note    *string        `tide:"field"`
	OK      bool           `tide:"field"`
	Since   time.Time      `tide:"field"`
}

var samples = catalog.Kind{Name: "SAMPLE", Subject: catalog.SubjectType{Name: "THING"}}

// History returns values as they were appended, whatever their types.
func TestValues_AreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := open[allTypes](t, newTable(), samples)
		float := rapid.Float64Range(-1e14, 1e14)
		text := rapid.StringN(0, 20, -1)
		in := allTypes{
			Subject: "one", At: today, ID: "a",
			Exact: model.NewDecimal(rapid.Int64Range(-1e14, 1e14).Draw(t, "exact")),
			Float: roundTiny(float.Draw(t, "float")), Small: rapid.Float32Range(-1e9, 1e9).Draw(t, "small"),
			Count: rapid.IntRange(-1e14, 1e14).Draw(t, "count"), Tiny: rapid.Int8().Draw(t, "tiny"), Size: rapid.Uint32().Draw(t, "size"),
			Text: text.Draw(t, "text"), Color: color(text.Draw(t, "color")), OK: rapid.Bool().Draw(t, "ok"),
			Since: time.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "since"), rapid.Int64Range(0, 999999999).Draw(t, "nanos")).UTC(),
		}
		if rapid.Bool().Draw(t, "pointers") {
			d := model.NewDecimal(3)
			f := roundTiny(float.Draw(t, "pointed"))
			s := text.Draw(t, "note")
			in.Maybe = &d
			in.Pointed = &f
			in.Note = &s
		}
		out, err := events.Append(context.Background(), in)
		if err != nil || out.Outcome != model.Applied {
			t.Fatalf("append: %s, %v", out.Outcome, err)
		}
		latest, err := events.Latest(context.Background(), timeseries.Key{Subject: "one"})
		if diff := cmp.Diff(&in, latest, decimals); err != nil || diff != "" {
			t.Fatalf("latest item: %v (-want +got):\n%s", err, diff)
		}
		for got, err := range events.History(context.Background(), timeseries.Key{Subject: "one"}) {
			if diff := cmp.Diff(in, got, decimals); err != nil || diff != "" {
				t.Fatalf("history: %v (-want +got):\n%s", err, diff)
			}
		}
	})
}

var decimals = cmp.Comparer(func(a, b model.Decimal) bool { return a == b })

// roundTiny rounds tiny floats to zero, which an exact decimal can hold.
func roundTiny(f float64) float64 {
	if math.Abs(f) < 1e-100 {
		return 0
	}
	return f
}

// open opens a kind as T, or ends the test.
func open[T any](t interface{ Fatalf(string, ...any) }, table *memory.Table,
	kind catalog.Kind) *timeseries.Events[T] {
	events, err := timeseries.Open[T](table, kind, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return events
}

func TestAppend_AbsentFieldsAreNotWritten(t *testing.T) {
	table := newTable()
	events := open[allTypes](t, table, samples)
	empty := ""
	_, err := events.Append(context.Background(), allTypes{Subject: "one", At: today, Note: &empty})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := table.GetItem(context.Background(),
		keys.Latest(model.Series{Subject: model.Subject{Type: "THING", ID: "one"}, Kind: "SAMPLE"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"text": false, "since": false, "maybe": false, "pointed": false,
		"note": true, "ok": true, "count": true} {
		if _, there := stored[name]; there != want {
			t.Errorf("%s stored: %t, want %t", name, there, want)
		}
	}
}

// A measure that is not a number is nil in a pointer and NaN in a float. For other types it is
// an error, and the iteration continues.
func TestHistory_AnUnparsableMeasureIsNilOrNaN(t *testing.T) {
	type pointer struct {
		minimalModel
		Temperature *model.Decimal `tide:"measure"`
	}
	type float struct {
		minimalModel
		Temperature float64 `tide:"measure"`
	}
	type exact struct {
		minimalModel
		Temperature model.Decimal `tide:"measure"`
	}
	table, ctx := newTable(), context.Background()
	for i, x := range []float64{math.NaN(), 1} {
		out, err := open[float](t, table, iot.Readings).Append(ctx,
			float{minimalModel{"sensor_01", today.Add(time.Duration(i))}.at(i), x})
		if err != nil || out.Outcome != model.Applied {
			t.Fatalf("append: %s, %v", out.Outcome, err)
		}
	}
	key := timeseries.Key{Subject: "sensor_01"}
	for v, err := range open[pointer](t, table, iot.Readings).History(ctx, key, timeseries.Limit(1)) {
		if err != nil || v.Temperature != nil {
			t.Errorf("pointer: %v, %v; want nil", v.Temperature, err)
		}
	}
	for v, err := range open[float](t, table, iot.Readings).History(ctx, key, timeseries.Limit(1)) {
		if err != nil || !math.IsNaN(v.Temperature) {
			t.Errorf("float: %v, %v; want NaN", v.Temperature, err)
		}
	}
	var errs []error
	for _, err := range open[exact](t, table, iot.Readings).History(ctx, key) {
		errs = append(errs, err)
	}
	if len(errs) != 2 || errs[0] == nil || errs[1] != nil {
		t.Errorf("decimal by value: %v; want an error, then a value", errs)
	}
}

func (b minimalModel) at(minute int) minimalModel {
	b.At = today.Add(time.Duration(minute-10) * time.Minute)
	return b
}

func TestHistory_AnUnreadableEventIsAnErrorAndTheIterationContinues(t *testing.T) {
	table, ctx := newTable(), context.Background()
	events := open[Reading](t, table, iot.Readings)
	for i := range 2 {
		if _, err := events.Append(ctx,
			Reading{Device: "sensor_01", At: today.Add(time.Duration(i-5) * time.Minute), ID: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	first := model.EventKey{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"},
		Kind: "READING"},
		Order: model.Order{At: model.NewTime(today.Add(-5 * time.Minute)), ID: "x"}}
	damage := item.Item{keys.AttrPK: {Type: item.S, S: keys.Event(first).PK},
		keys.AttrSK:        {Type: item.S, S: keys.Event(first).SK},
		tablekeys.AttrHash: {Type: item.S, S: "no hash"}}
	if err := table.UpdateItem(ctx, damage); err != nil {
		t.Fatal(err)
	}
	var errs []error
	for v, err := range events.History(ctx, timeseries.Key{Subject: "sensor_01"}) {
		if v.Device != "sensor_01" || v.ID != "x" {
			t.Errorf("got %+v, want the key of the event", v)
		}
		errs = append(errs, err)
	}
	if len(errs) != 2 || !errors.Is(errs[0], timeseries.ErrUnreadable) || errs[1] != nil {
		t.Errorf("got %v, want %v, then a value", errs, timeseries.ErrUnreadable)
	}
}
