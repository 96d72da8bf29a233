package rollup_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// station is a spec that uses every declaration, with limits small enough to be reached.
var station = &rollup.Spec{
	Measures: []rollup.MeasureSpec{
		{Name: "battery", Scale: 0},
		{Name: "humidity", Scale: 3, Percentiles: true},
		{Name: "temperature", Scale: 9, Percentiles: true},
		{Name: "voltage", Scale: rollup.MaxScale},
	},
	Dimensions:  []rollup.DimensionSpec{{Name: "place"}, {Name: "status"}},
	Distinct:    []string{"status", "visitor"},
	MaxMeasures: 5,
}

var series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"}

const noon = model.Time(1_776_693_600_000) // 2026-04-20T14:00:00Z

// event returns a readable event of the series. pairs are names and values; a value that
// is a decimal becomes a number.
func event(at model.Time, id string, pairs ...string) *model.Event {
	e := &model.Event{Series: series, Order: model.Order{At: at, ID: id}}
	for i := 0; i < len(pairs); i += 2 {
		value := model.TextValue(pairs[i+1])
		if d, err := model.ParseDecimal(pairs[i+1]); err == nil {
			value = model.NumberValue(d)
		}
		e.Attrs = append(e.Attrs, model.Attr{Name: pairs[i], Value: value})
	}
	e.Attrs.Sort()
	e.Hash = model.HashAttrs(e.Attrs)
	return e
}

func newSummary(spec *rollup.Spec, events ...*model.Event) *rollup.Summary {
	s := rollup.New(spec)
	for _, e := range events {
		s.AddEvent(e)
	}
	return s
}

func encoded(s *rollup.Summary) string { return string(s.Encode(nil)) }

// failer is the part of *testing.T and *rapid.T that is used here.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func decoded(t failer, s *rollup.Summary) *rollup.Summary {
	t.Helper()
	d, err := rollup.Decode(s.Encode(nil))
	if err != nil {
		t.Fatalf("decode an encoded summary: %v", err)
	}
	return d
}

func measure(t failer, s *rollup.Summary, name string) rollup.Measure {
	t.Helper()
	m, ok := s.Measure(name)
	if !ok {
		t.Fatalf("no measure %q in %q", name, s.Names())
	}
	return m
}

// decimals draws numbers of every size, within and beyond the bounds of a measure.
func decimals() *rapid.Generator[model.Decimal] {
	return rapid.Custom(func(t *rapid.T) model.Decimal {
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		digits := strings.TrimLeft(rapid.StringMatching(`[0-9]{1,22}`).Draw(t, "digits"), "0")
		exponent := rapid.IntRange(-25, 2).Draw(t, "exponent")
		return model.MustDecimal(fmt.Sprintf("%s0%se%d", sign, digits, exponent))
	})
}

// events draws events of one series with different identities.
func events(most int) *rapid.Generator[[]*model.Event] {
	one := rapid.Custom(func(t *rapid.T) *model.Event {
		e := &model.Event{Series: series, Order: model.Order{
			At: noon + model.Time(rapid.IntRange(0, 40).Draw(t, "at")),
			ID: rapid.SampledFrom([]string{"", "1", "2", "10"}).Draw(t, "id"),
		}}
		names := []string{"alpha", "battery", "humidity", "place", "status", "temperature", "visitor", "voltage",
			"wind", "zeta"}
		for _, name := range names {
			if v, ok := value(t, name); ok {
				e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: v})
			}
		}
		return e
	})
	return rapid.SliceOfNDistinct(one, 0, most, func(e *model.Event) model.Order { return e.Order })
}

func value(t *rapid.T, name string) (model.Value, bool) {
	switch rapid.IntRange(0, 9).Draw(t, name+" is") {
	case 0, 1, 2:
		return model.Value{}, false
	case 3:
		return model.Value{}, true
	case 4:
		return model.BoolValue(rapid.Bool().Draw(t, name)), true
	case 5:
		return model.TextValue(rapid.SampledFrom([]string{"", "NaN", "ok", "lost"}).Draw(t, name)), true
	default:
		return model.NumberValue(decimals().Draw(t, name)), true
	}
}
