package rollup_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Stored rows have digests: their bytes must be the same in every release.
func TestDigest_IsOfTheseBytes(t *testing.T) {
	text := func(s string) string { return string(rune(len(s))) + s }
	identity := text("SENSOR") + text("a") + text("READING") + text("s") + text("7") + "\x0a" // 5 as a varint
	e := &model.Event{Series: model.Series{Subject: model.Subject{Type: "SENSOR", ID: "a"}, Kind: "READING",
		Stream: "s"}, Order: model.Order{At: 5, ID: "7"}}
	number, err := model.ParseDecimal("22.4")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, bytes string
		change      func()
	}{
		{"without fields", identity + "\x01", func() {}},
		{"a text, a boolean and null", identity + "\x01" + text("b") + string([]byte{byte(model.Bool)}) + "true" + text("n") + string([]byte{byte(model.Null)}) +
			text("t") + string([]byte{byte(model.Text)}) + text("x"), func() {
			e.Attrs = model.Attrs{{Name: "b", Value: model.BoolValue(true)}, {Name: "n"},
				{Name: "t", Value: model.TextValue("x")}}
		}},
		{"a number", identity + "\x01" + text("n") + string(number.AppendBinary([]byte{byte(model.Number)})), func() {
			e.Attrs = model.Attrs{{Name: "n", Value: model.NumberValue(number)}}
		}},
		{"unreadable", identity, func() { e.Unreadable = true }},
	} {
		c.change()
		want := sha256.Sum256([]byte(c.bytes))
		if got := rollup.NewDigest(e); got != rollup.Digest(want[:16]) {
			t.Errorf("%s: %s, want %s", c.name, hex.EncodeToString(got[:]), hex.EncodeToString(want[:16]))
		}
	}
}

// A fold of several series has the sum of their digests, in any order.
func TestDigest_OfSeveralSeriesIsTheirSum(t *testing.T) {
	first, second := event(noon, "1"), event(noon+1, "2")
	second.Series.Stream = "other"
	all := []*model.Event{first, first, second, second, first, second}
	want := rollup.Digest{}
	for _, e := range all {
		want.Add(rollup.NewDigest(e))
	}
	if got := foldEvents(all...).Digest; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A fold has the fields of its oldest child; without a spec it has the fields of no version.
func TestFold_FieldsAreThoseOfTheOldestChild(t *testing.T) {
	at := func(when model.Time) *rollup.Row {
		f := rollup.NewFold(&rollup.Spec{FieldsAt: when})
		f.AddEvent(event(noon, fmt.Sprint(when)))
		if f.FieldsAt != when {
			t.Errorf("of an event: %d, want %d", f.FieldsAt, when)
		}
		return rowFrom(t, f, 0)
	}
	for order := range 3 {
		parts := []*rollup.Row{at(300), at(100), at(200)}
		f := rollup.NewFold(&rollup.Spec{FieldsAt: 400})
		for i := range parts {
			f.AddRow(parts[(i+order)%3])
		}
		if f.FieldsAt != 100 {
			t.Errorf("of rows: %d, want 100", f.FieldsAt)
		}
	}
	none := rollup.NewFold(nil)
	none.AddEvent(event(noon, "1", "temperature", "20", "path", "/"))
	if none.FieldsAt != 0 || !slices.Equal(none.Summary.Names(), []string{"path", "temperature"}) &&
		!slices.Equal(none.Summary.Names(), []string{"temperature"}) {
		t.Errorf("without a spec: version %d, measures %q", none.FieldsAt, none.Summary.Names())
	}
	if len(none.Summary.DimensionNames())+len(none.Summary.DistinctNames()) > 0 {
		t.Error("without a spec there are dimensions or distinct counts")
	}
}

func TestFold_OfARowHasItsContinuation(t *testing.T) {
	row := rowFrom(t, foldEvents(event(noon, "1")), 0)
	row.Continuation = rollup.Continuation{Events: 1, From: noon, Last: noon, Reach: noon + 1, Settles: noon + 2}
	f := rollup.NewFold(station)
	f.AddRow(row)
	if f.Continuation != row.Continuation {
		t.Errorf("%+v, want %+v", f.Continuation, row.Continuation)
	}
}

func TestFold_WithoutSummaryCountsItsEventsAsUnreadable(t *testing.T) {
	f := foldEvents(event(noon, "1", "temperature", "20"), event(noon, "2"),
		&model.Event{Series: series, Order: model.Order{At: noon, ID: "3"}, Unreadable: true})
	small := f.WithoutSummary(station)
	if small.Unreadable != 3 || small.Exact || small.Summary.Events() != 0 || small.Digest != f.Digest ||
		small.Children != f.Children {
		t.Errorf("%+v, want three unreadable events and no summary", small)
	}
	if f.Unreadable != 1 || f.Summary.Events() != 2 {
		t.Errorf("the fold itself was changed: %+v", f)
	}
	if exact := foldEvents(event(noon, "1")); !exact.Exact || exact.WithoutSummary(station).Exact {
		t.Error("an exact fold without its summary is exact")
	}
}

func TestSummary_NamesAndDimensionsOfSeveral(t *testing.T) {
	spec := &rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "a", Top: 1}, {Name: "b", Top: 2},
		{Name: "c", Top: 3}, {Name: "d", Top: 4}}}
	s := rollup.New(spec)
	for i := range 5 {
		e := event(noon, fmt.Sprint(i), "x", "1", "y", "2")
		for _, name := range []string{"a", "b", "c", "d"} {
			e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: model.TextValue(fmt.Sprint(i))})
		}
		s.AddEvent(e)
	}
	if got := s.Names(); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("measures %q, want x and y", got)
	}
	for i, name := range []string{"a", "b", "c", "d"} {
		if d, found := s.Dimension(name); !found || d.Name != name || len(d.Values) != i+1 ||
			d.Other != int64(4-i) || d.Exact {
			t.Errorf("dimension %s: %+v, found %t; want its top %d", name, d, found, i+1)
		}
	}
	if d, found := s.Dimension("e"); found || d.Name != "" {
		t.Errorf("an undeclared dimension: %+v, found %t", d, found)
	}
}

func TestTruncate_AsManyMeasuresAsARowMayHaveAreWhole(t *testing.T) {
	s := newSummary(&rollup.Spec{MaxMeasures: 2}, event(noon, "1", "b", "2", "a", "1"))
	if s.Truncated() || len(s.Names()) != 2 {
		t.Errorf("truncated %t, measures %q; want both", s.Truncated(), s.Names())
	}
}

// A merged percentile sketch does not share memory with the argument's.
func TestMerge_CopiesSketches(t *testing.T) {
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Percentiles: true}}}
	part := newSummary(spec, event(noon, "1", "x", "5"))
	before := encoded(part)
	whole := rollup.New(spec)
	whole.Merge(part)
	whole.AddEvent(event(noon+1, "2", "x", "5"))
	if encoded(part) != before {
		t.Error("adding to the merged summary changed its argument")
	}
}
