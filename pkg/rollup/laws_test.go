package rollup_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// grouped folds events as a drawn tree whose leaves are made by leaf. Each part is merged
// directly or after encoding and decoding.
func grouped(t *rapid.T, spec *rollup.Spec, leaf func(...*model.Event) *rollup.Summary,
	events []*model.Event) *rollup.Summary {
	if len(events) < 2 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		return leaf(events...)
	}
	cut := rapid.IntRange(1, len(events)-1).Draw(t, "cut")
	s := rollup.New(spec)
	for _, half := range [][]*model.Event{events[:cut], events[cut:]} {
		part := grouped(t, spec, leaf, half)
		if rapid.Bool().Draw(t, "through bytes") {
			part = decoded(t, part)
		}
		s.Merge(part)
	}
	return s
}

// folding returns a leaf function for one spec.
func folding(spec *rollup.Spec) func(...*model.Event) *rollup.Summary {
	return func(events ...*model.Event) *rollup.Summary { return newSummary(spec, events...) }
}

func TestSummary_BytesDoNotDependOnOrderOrGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(24).Draw(t, "events")
		want := encoded(newSummary(station, all...))
		shuffled := rapid.Permutation(all).Draw(t, "order")
		if got := encoded(grouped(t, station, folding(station), shuffled)); got != want {
			t.Fatalf("got  %x\nwant %x", got, want)
		}
	})
}

// A declaration may change between two rows. Scales and percentiles then differ between
// parts, and the result must still depend on the events only.
func TestSummary_PartsOfDifferentDeclarationsMergeInAnyOrder(t *testing.T) {
	before := &rollup.Spec{Measures: []rollup.MeasureSpec{
		{Name: "battery", Scale: 4, Percentiles: true}, {Name: "temperature", Scale: 2, Percentiles: true},
	}}
	mixed := func(events ...*model.Event) *rollup.Summary {
		s := rollup.New(station)
		for _, e := range events {
			if e.At%2 == 0 {
				s.Merge(newSummary(before, e))
			} else {
				s.AddEvent(e)
			}
		}
		return s
	}
	rapid.Check(t, func(t *rapid.T) {
		all := events(16).Draw(t, "events")
		want := encoded(mixed(all...))
		shuffled := rapid.Permutation(all).Draw(t, "order")
		if got := encoded(grouped(t, station, mixed, shuffled)); got != want {
			t.Fatalf("got  %x\nwant %x", got, want)
		}
	})
}

func TestMerge_IsAMonoidAndDoesNotChangeItsArgument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(18).Draw(t, "events")
		third := len(all) / 3
		a := all[:third]
		b := all[third : 2*third]
		c := all[2*third:]
		merge := func(parts ...*rollup.Summary) *rollup.Summary {
			s := rollup.New(station)
			for _, part := range parts {
				before := encoded(part)
				s.Merge(part)
				if encoded(part) != before {
					t.Fatal("merging changed the argument")
				}
			}
			return s
		}
		of := func(e []*model.Event) *rollup.Summary { return newSummary(station, e...) }
		left, right := merge(merge(of(a), of(b)), of(c)), merge(of(a), merge(of(b), of(c)))
		if encoded(left) != encoded(right) {
			t.Errorf("not associative: %x and %x", encoded(left), encoded(right))
		}
		if x, y := merge(of(a), of(b)), merge(of(b), of(a)); encoded(x) != encoded(y) {
			t.Errorf("not commutative: %x and %x", encoded(x), encoded(y))
		}
		merged := merge(rollup.New(station), of(a), rollup.New(station))
		merged.Merge(nil)
		if encoded(merged) != encoded(of(a)) {
			t.Errorf("the summary of no events is not the identity: got %x, want %x", encoded(merged), encoded(of(a)))
		}
	})
}

func TestMerge_SharesNoMemoryWithItsArgument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(12).Draw(t, "events")
		part := newSummary(station, all[:len(all)/2]...)
		before := encoded(part)
		s := newSummary(station, event(noon, "null", "humidity", "NaN", "temperature", "NaN"))
		s.Merge(part)
		for _, e := range all[len(all)/2:] {
			s.AddEvent(e)
		}
		if encoded(part) != before {
			t.Fatal("adding to the merged summary changed the argument of Merge")
		}
	})
}

func TestMeasure_IsNotChangedByLaterEvents(t *testing.T) {
	s := newSummary(station, event(noon, "1", "temperature", "20"), event(noon, "2", "temperature", "30"),
		event(noon, "3", "temperature", "40"))
	m := measure(t, s, "temperature")
	for i := range 20 {
		s.AddEvent(event(noon, fmt.Sprint("x", i), "temperature", "20"))
	}
	if got, _ := m.Quantile(.5); m.Count != 3 || got < 29.7 || got > 30.3 {
		t.Errorf("count %d, median %v; want 3 and about 30", m.Count, got)
	}
}

// declaredFirst returns names in the order in which a truncated summary keeps them.
func declaredFirst(spec *rollup.Spec, names []string) []string {
	undeclared := func(name string) int {
		if slices.ContainsFunc(spec.Measures, func(m rollup.MeasureSpec) bool { return m.Name == name }) {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return undeclared(a) - undeclared(b)
	})
}

// declaredIn returns how many of the names are declared.
func declaredIn(spec *rollup.Spec, names []string) (n int) {
	for _, m := range spec.Measures {
		if slices.Contains(names, m.Name) {
			n++
		}
	}
	return n
}

func TestTruncate_KeepsDeclaredNamesAndThenTheFirstOnesInAnyGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(16).Draw(t, "events")
		full := newSummary(&rollup.Spec{Measures: station.Measures, MaxMeasures: 100}, all...)
		most := rapid.IntRange(1, 8).Draw(t, "most")
		narrow := &rollup.Spec{Measures: station.Measures, MaxMeasures: most}
		got := grouped(t, narrow, folding(narrow), rapid.Permutation(all).Draw(t, "order"))

		kept := min(max(most, declaredIn(narrow, full.Names())), len(full.Names()))
		want := slices.Sorted(slices.Values(declaredFirst(narrow, full.Names())[:kept]))
		if !slices.Equal(got.Names(), want) || got.Truncated() != (len(full.Names()) > most) {
			t.Fatalf("names %q, truncated %v; want %q of %q", got.Names(), got.Truncated(), want, full.Names())
		}
		for _, name := range want {
			sameMeasure(t, got, full, name)
		}
	})
}

// Whatever the limits of the parts were, and whatever names were sent, each declared measure has every value.
func TestTruncate_MergeOfTruncatedPartsKeepsEveryDeclaredNameOfBoth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(16).Draw(t, "events")
		full := newSummary(&rollup.Spec{Measures: station.Measures, MaxMeasures: 100}, all...)
		limits := func(what string) *rollup.Spec {
			return &rollup.Spec{Measures: station.Measures, MaxMeasures: rapid.IntRange(1, 4).Draw(t, what)}
		}
		got := rollup.New(limits("most"))
		for part := range slices.Chunk(all, 3) {
			got.Merge(decoded(t, newSummary(limits("most of a part"), part...)))
		}
		for _, m := range station.Measures {
			if _, has := full.Measure(m.Name); has {
				sameMeasure(t, got, full, m.Name)
			}
		}
	})
}

// Reads merge rows of any limits without one.
func TestForReading_KeepsEveryNameThatIsCompleteInAllParts(t *testing.T) {
	narrow := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "m"}, {Name: "z"}}, MaxMeasures: 3}
	a := newSummary(narrow, event(noon, "1", "a", "1", "b", "1", "z", "1"))
	b := newSummary(narrow, event(noon+1, "1", "a", "1", "c", "1", "m", "1", "z", "1"))
	total := rollup.New(rollup.ForReading(narrow, station))
	for _, part := range []*rollup.Summary{a, b} {
		total.Merge(decoded(t, part))
	}
	if got := fmt.Sprint(total.Names(), total.Truncated()); got != "[a m z] true" {
		t.Errorf("got %s, want the declared m and z, and a, which no part has omitted", got)
	}
	if z, _ := total.Measure("z"); z.Sum.String() != "2" {
		t.Errorf("the sum of z is %s, want 2", z.Sum)
	}
}

// Rows written under different limits are merged: the remaining measures are complete.
func TestTruncate_PartsOfOtherLimitsLeaveNoIncompleteMeasure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(16).Draw(t, "events")
		full := newSummary(&rollup.Spec{Measures: station.Measures, MaxMeasures: 100}, all...)
		got := rollup.New(&rollup.Spec{Measures: station.Measures,
			MaxMeasures: rapid.IntRange(1, 8).Draw(t, "most")})
		for part := range slices.Chunk(all, 3) {
			narrow := &rollup.Spec{Measures: station.Measures,
				MaxMeasures: rapid.IntRange(1, 8).Draw(t, "most of a part")}
			got.Merge(newSummary(narrow, part[1:]...))
			got.AddEvent(part[0])
		}
		for _, name := range got.Names() {
			sameMeasure(t, got, full, name)
		}
		if len(got.Names()) < len(full.Names()) && !got.Truncated() {
			t.Fatalf("names %q of %q, and not truncated", got.Names(), full.Names())
		}
	})
}

func sameMeasure(t *rapid.T, got, want *rollup.Summary, name string) {
	g, _ := got.Measure(name)
	w, _ := want.Measure(name)
	if fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", w) {
		t.Fatalf("%s: got %+v, want %+v", name, g, w)
	}
}

// Reads merge the rows of several series, in which one identity may occur twice.
func TestMerge_CommutesForEventsOfTwoSeriesWithOneIdentity(t *testing.T) {
	a := newSummary(station, event(noon, "1", "battery", "80"))
	b := newSummary(station, event(noon, "1", "battery", "20"))
	ab, ba := rollup.New(station), rollup.New(station)
	ab.Merge(a)
	ab.Merge(b)
	ba.Merge(b)
	ba.Merge(a)
	if encoded(ab) != encoded(ba) {
		t.Errorf("%x and %x", encoded(ab), encoded(ba))
	}
}
