package rollup_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// detailed is station with details of both dimensions.
var detailed = func() *rollup.Spec {
	s := *station
	s.Dimensions = []rollup.DimensionSpec{{Name: "place", Detail: 1 << 20}, {Name: "status", Detail: 1 << 20}}
	return &s
}()

func TestDetails_BytesDoNotDependOnOrderOrGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(24).Draw(t, "events")
		want := encoded(newSummary(detailed, all...))
		shuffled := rapid.Permutation(all).Draw(t, "order")
		if got := encoded(grouped(t, detailed, folding(detailed), shuffled)); got != want {
			t.Fatalf("got  %x\nwant %x", got, want)
		}
	})
}

func TestDetails_MergeSharesNoMemoryWithItsArgument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(12).Draw(t, "events")
		part := newSummary(detailed, all[:len(all)/2]...)
		before := encoded(part)
		s := rollup.New(detailed)
		s.Merge(part)
		for _, e := range all[len(all)/2:] {
			s.AddEvent(e)
		}
		if encoded(part) != before {
			t.Fatal("adding to the merged summary changed the argument of Merge")
		}
	})
}

// The part of some values is the summary of their events alone.
func TestPart_EqualsASummaryOfItsEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(24).Draw(t, "events")
		s := grouped(t, detailed, folding(detailed), all)
		values := rapid.SampledFrom([]string{"", "a", "b", "c", "hall", "roof", "on"})
		chosen := rapid.SliceOf(values).Draw(t, "values")
		pass := func(value string) bool { return strings.Contains(strings.Join(chosen, " "), value) }
		blank := rapid.Bool().Draw(t, "blank")
		var those []*model.Event
		for _, e := range all {
			text, found := valueText(e, "place")
			if found && pass(text) || !found && blank {
				those = append(those, e)
			}
		}
		got, known := s.Part("place", pass, false, blank)
		if !known && len(all) > 0 {
			t.Fatal("the part is not known")
		}
		want := newSummary(station, those...)
		if got.Events() != want.Events() {
			t.Fatalf("%d events, want %d", got.Events(), want.Events())
		}
		for _, spec := range station.Measures {
			m, _ := want.Measure(spec.Name)
			if sum, n, _ := got.Sum(spec.Name); n != m.Count || n > 0 && sum.Cmp(m.Sum) != 0 {
				t.Fatalf("%s: %s of %d values, want %s of %d", spec.Name, sum, n, m.Sum, m.Count)
			}
		}
		n, _, had := want.Distinct("visitor")
		if got, exact, has := got.Distinct("visitor"); got != n || has != had || exact != had {
			t.Fatalf("%d visitors, exact %t, counted %t; want %d, %t", got, exact, has, n, had)
		}
		for _, absent := range []string{"vistor", "place"} {
			_, exact, counted := got.Distinct(absent)
			if _, _, summed := got.Sum(absent); exact || counted || summed {
				t.Fatalf("%s: exact %t, counted %t, summed %t; want it to be absent", absent, exact, counted, summed)
			}
		}
	})
}

// valueText returns a field as dimensions count it.
func valueText(e *model.Event, name string) (string, bool) {
	v, ok := e.Attrs.Get(name)
	switch {
	case !ok || v.Kind == model.Null:
		return "", false
	case v.Kind == model.Number:
		return v.Number.String(), true
	case v.Kind == model.Bool:
		return fmt.Sprint(v.Bool), true
	}
	return v.Text, true
}

// views returns the summary of page views: path i of n has n/i views, each by another visitor of the many.
func views(spec *rollup.Spec, paths, first int) *rollup.Summary {
	s := rollup.New(spec)
	for path := 1; path <= paths; path++ {
		for i := range first / path {
			id, name := fmt.Sprint(path, "-", i), fmt.Sprintf("/%03d", path)
			s.AddEvent(event(noon, id, "path", name, "visitor", fmt.Sprint(i)))
		}
	}
	return s
}

func pageSpec(top, detail int) *rollup.Spec {
	return &rollup.Spec{
		Dimensions: []rollup.DimensionSpec{{Name: "path", Top: top, Detail: detail}}, Distinct: []string{"visitor"},
	}
}

func only(value string) func(string) bool { return func(v string) bool { return v == value } }

// Beyond 64 different values a count is near.
func TestPart_DistinctIsExactUpTo64AndNearBeyond(t *testing.T) {
	s := decoded(t, views(pageSpec(1000, 1<<20), 400, 20_000))
	var squares, n float64
	for path := 1; path <= 400; path++ {
		p, known := s.Part("path", only(fmt.Sprintf("/%03d", path)), false, false)
		got, exact, _ := p.Distinct("visitor")
		want := int64(20_000 / path)
		if !known || exact != (want <= 64) || exact && got != want {
			t.Fatalf("path %d: %d, exact %t, known %t; want %d", path, got, exact, known, want)
		}
		if !exact {
			squares, n = squares+math.Pow(float64(got-want)/float64(want), 2), n+1
		}
	}
	if e := math.Sqrt(squares / n); e > 0.055 {
		t.Errorf("a standard error of %.3f, want about 0.046", e)
	}
}

// What a row does not keep is not known: never 0, and never a part of it.
func TestPart_OfARareValueIsNotKnown(t *testing.T) {
	s := decoded(t, views(pageSpec(20, 3000), 60, 300))
	pass := map[string]func(string) bool{
		"frequent": only("/001"), "rare": only("/020"), "cut": only("/060"),
		"all":                    func(string) bool { return true },
		"all but a frequent one": func(v string) bool { return v != "/001" },
		"all but a rare one":     func(v string) bool { return v != "/020" },
	}
	for name, want := range map[string]struct{ rest, known bool }{
		"frequent": {false, true}, "rare": {false, false}, "all": {true, true},
		"all but a frequent one": {true, true}, "all but a rare one": {true, false},
	} {
		p, known := s.Part("path", pass[name], want.rest, false)
		if known != want.known {
			t.Errorf("%s: known %t of %d events, want %t", name, known, p.Events(), want.known)
		}
	}
	if n, _, _ := mustPart(t, s, pass["all but a frequent one"]).Distinct("visitor"); n < 135 || n > 165 {
		t.Errorf("%d visitors of all pages but one, want about 150", n)
	}
	old := decoded(t, views(pageSpec(20, 0), 2, 10))
	if _, known := old.Part("path", pass["frequent"], false, false); known {
		t.Error("a row without details knows a part")
	}
	mixed := views(pageSpec(20, 4000), 2, 10)
	mixed.Merge(old)
	for name := range pass {
		_, known := mixed.Part("path", pass[name], name == "all", false)
		if known && name != "cut" && name != "rare" {
			t.Errorf("%s: known, and a part of the rows has no details", name)
		}
	}
}

func mustPart(t *testing.T, s *rollup.Summary, pass func(string) bool) *rollup.Part {
	t.Helper()
	p, known := s.Part("path", pass, true, false)
	if !known {
		t.Fatal("not known")
	}
	return &p
}

// The declared bytes bound what a dimension adds to a row, however many visitors it has.
func TestDetails_TakeTheDeclaredBytes(t *testing.T) {
	with, without := views(pageSpec(1000, 8000), 1000, 5000), views(pageSpec(1000, 0), 1000, 5000)
	added := len(with.Encode(nil)) - len(without.Encode(nil))
	if most := 8000 + 2*400 + 64; added > most || added < 7000 {
		t.Errorf("%d bytes, want at most %d", added, most)
	}
}

// A hidden value takes its visitors to the other values.
func TestHideValue_MovesItsPartToTheRest(t *testing.T) {
	s := views(pageSpec(20, 4000), 4, 8)
	s.HideValue("path", "/002")
	s = decoded(t, s)
	if strings.Contains(encoded(s), "/002") {
		t.Error("the row has the value")
	}
	rest := mustPart(t, s, func(v string) bool { return false })
	if n, _, _ := rest.Distinct("visitor"); n != 4 || rest.Events() != 4 {
		t.Errorf("%d visitors with %d events in the rest, want the 4 of the hidden value", n, rest.Events())
	}
}

// Pairs of values are counted like the values of a field, with their details. A field that an event lacks is
// empty.
func TestPairs_AreADimension(t *testing.T) {
	spec := &rollup.Spec{Distinct: []string{"visitor"}, Dimensions: []rollup.DimensionSpec{
		{Name: "place"}, {Name: "way", Of: [2]string{"place", "status"}, Detail: 500},
	}}
	s := decoded(t, newSummary(spec,
		event(noon, "1", "place", "hall", "status", "on", "visitor", "a"),
		event(noon, "2", "place", "hall", "status", "on", "visitor", "b"),
		event(noon, "3", "place", "hall", "status", "off", "visitor", "a"),
		event(noon, "4", "place", "roof", "visitor", "c"),
		event(noon, "5", "place", strings.Repeat("x", rollup.MaxDimensionValue/2), "status", "on", "visitor", "d"),
		event(noon, "6", "way", "a field of that name"),
	))
	const on = "hall" + rollup.PairSeparator + "on"
	d, _ := s.Dimension("way")
	want := []rollup.ValueCount{
		{Value: on, Count: 2}, {Value: "hall" + rollup.PairSeparator + "off", Count: 1},
		{Value: "roof" + rollup.PairSeparator, Count: 1},
	}
	if !slices.Equal(d.Values, want) || d.Other != 1 {
		t.Errorf("%v and %d others, want %v and 1", d.Values, d.Other, want)
	}
	p, known := s.Part("way", only(on), false, false)
	if n, _, _ := p.Distinct("visitor"); !known || n != 2 {
		t.Errorf("%d visitors of the pair, known %t; want 2", n, known)
	}
	if p, known := s.Part("way", only(""), false, true); !known || p.Events() != 1 {
		t.Errorf("%d events without a pair, known %t; want 1", p.Events(), known)
	}
	if !s.HideValue("way", "on") || strings.Contains(encoded(s), "on") {
		t.Error("a hidden value is in a pair still")
	}
}
