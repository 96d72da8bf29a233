package rollup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestReductions_RemoveWhatIsWorthLeastFirst(t *testing.T) {
	spec := &rollup.Spec{
		Measures:   []rollup.MeasureSpec{{Name: "temperature", Scale: 2, Percentiles: true}},
		Dimensions: []rollup.DimensionSpec{{Name: "place"}},
	}
	f := rollup.NewFold(spec)
	for i := range 8 {
		f.AddEvent(event(noon, fmt.Sprint(i), "a", "1", "b", "1", "place",
			[]string{"hall", "hall", "roof", "yard"}[i%4], "temperature", fmt.Sprint(20+i), "z", "1"))
	}
	before := encoded(f.Summary)
	var steps []string
	for _, reduce := range rollup.Reductions {
		for small, ok := reduce(f); ok; small, ok = reduce(f) {
			if encoded(f.Summary) != before {
				t.Fatal("a step changed its argument")
			}
			f, before = small, encoded(small.Summary)
			m, _ := f.Summary.Measure("temperature")
			_, percentiles := m.Quantile(.5)
			place, _ := f.Summary.Dimension("place")
			steps = append(steps, fmt.Sprint(percentiles, len(place.Values), place.Other, f.Summary.Names(),
				f.Summary.Truncated(), f.Exact))
			if m.Sum.String() != "188" || f.Summary.Events() != 8 {
				t.Fatalf("sum %s of %d events, want 188 of 8 after every step", m.Sum, f.Summary.Events())
			}
		}
	}
	want := strings.Join([]string{
		"false 3 0 [a b temperature z] false false",
		"false 1 4 [a b temperature z] false false",
		"false 0 8 [a b temperature z] false false",
		"false 0 8 [a temperature] true false",
		"false 0 8 [temperature] true false",
	}, "\n")
	if got := strings.Join(steps, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReductions_WithoutDeclaredFieldsARowStaysExactAndSaysTruncated(t *testing.T) {
	f := rollup.NewFold(&rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "m"}}})
	f.AddEvent(event(noon, "1", "a", "1", "b", "1", "m", "1"))
	for i, reduce := range rollup.Reductions {
		small, ok := reduce(f)
		if ok != (i == len(rollup.Reductions)-1) {
			t.Fatalf("step %d removes something: %v", i, ok)
		}
		if ok && (!small.Exact || !small.Summary.Truncated() || fmt.Sprint(small.Summary.Names()) != "[a m]") {
			t.Errorf("exact %v, truncated %v, %v; want true, true, a and m", small.Exact, small.Summary.Truncated(),
				small.Summary.Names())
		}
	}
}
