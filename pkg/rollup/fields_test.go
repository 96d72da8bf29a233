package rollup_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var visits = &rollup.Spec{
	Dimensions: []rollup.DimensionSpec{{Name: "path", Top: 3}},
	Distinct:   []string{"visitor"},
}

func visitors(from, to int) *rollup.Summary {
	s := rollup.New(visits)
	for i := from; i < to; i++ {
		s.AddEvent(event(noon, fmt.Sprint(i), "visitor", fmt.Sprint("v", i)))
	}
	return s
}

func TestDistinct_IsExactUpTo256AndNearBeyond(t *testing.T) {
	for _, n := range []int{1, 255, 256, 257, 1000, 3000, 5000, 10_000, 50_000} {
		s := visitors(0, n)
		s.Merge(visitors(0, n/2)) // repeats
		got, exact, _ := decoded(t, s).Distinct("visitor")
		if exact != (n <= 256) {
			t.Errorf("%d visitors: exact %v", n, exact)
		}
		// Three standard errors of 2,048 registers are 6.9 %.
		if off := float64(got)/float64(max(n, 1)) - 1; exact && got != int64(n) ||
			!exact && (off < -.069 || off > .069) {
			t.Errorf("%d visitors: got %d", n, got)
		}
	}
}

func TestDistinct_ErrorStaysAroundTheStandardError(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{300, 2000, 6000, 10_000} {
		squares := 0.0
		const runs = 20
		for range runs {
			s := rollup.New(visits)
			for range n {
				s.AddEvent(event(noon, "", "visitor", fmt.Sprintf("u%016x", random.Uint64())))
			}
			got, _, _ := s.Distinct("visitor")
			off := float64(got)/float64(n) - 1
			squares += off * off / runs
		}
		if squares > .03*.03 {
			t.Errorf("%d values: mean square error (%.4f)², want about (0.023)²", n, squares)
		}
	}
}

func TestDistinct_FormDependsOnTheSetOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{40, 255, 256, 257, 258, 400}).Draw(t, "values")
		want := encoded(visitors(0, n))
		a, b := rapid.IntRange(0, n).Draw(t, "a"), rapid.IntRange(0, n).Draw(t, "b")
		s := rollup.New(visits)
		for _, part := range []*rollup.Summary{visitors(max(a, b), n), decoded(t, visitors(0, min(a, b))),
			visitors(min(a, b), max(a, b))} {
			s.Merge(decoded(t, part))
		}
		if encoded(s) != want {
			t.Fatalf("%d values in three parts have other bytes than in one", n)
		}
	})
}

// A value of any type is counted as its text; null is not a value.
func TestFields_NumbersAndBooleansCountAsTheirText(t *testing.T) {
	spec := &rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "status"}}, Distinct: []string{"status"}}
	s := rollup.New(spec)
	for i, v := range []model.Value{model.TextValue("200"), model.NumberValue(model.NewDecimal(200)),
		model.BoolValue(true), {}} {
		s.AddEvent(&model.Event{Order: model.Order{At: noon, ID: fmt.Sprint(i)},
			Attrs: model.Attrs{{Name: "status", Value: v}}})
	}
	got, _ := s.Dimension("status")
	want := rollup.Dimension{Name: "status",
		Values: []rollup.ValueCount{{Value: "200", Count: 2}, {Value: "true", Count: 1}}, Exact: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dimension (-want +got):\n%s", diff)
	}
	if n, exact, _ := s.Distinct("status"); n != 2 || !exact {
		t.Errorf("distinct %d (%v), want 2", n, exact)
	}
	if len(s.Names()) != 0 {
		t.Errorf("measures %q, want none: the field is declared as a dimension", s.Names())
	}
}

func TestFields_WithoutValuesAreAbsent(t *testing.T) {
	s := newSummary(visits, event(noon, "1", "other", "x"))
	s.AddEvent(&model.Event{Attrs: model.Attrs{{Name: "path"}, {Name: "visitor"}}})
	if _, ok := s.Dimension("path"); ok || len(s.DimensionNames()) != 0 || len(s.DistinctNames()) != 0 {
		t.Errorf("dimensions %q, distinct %q; want none", s.DimensionNames(), s.DistinctNames())
	}
	if n, exact, ok := s.Distinct("visitor"); n != 0 || exact || ok {
		t.Errorf("distinct %d, exact %t, %t; want none", n, exact, ok)
	}
}

func paths(counts map[string]int) *rollup.Summary {
	s := rollup.New(visits)
	for path, n := range counts {
		for i := range n {
			s.AddEvent(event(noon, fmt.Sprint(path, i), "path", path))
		}
	}
	return s
}

func TestDimension_KeepsTheHighestCountsTiesByBytes(t *testing.T) {
	s := paths(map[string]int{"/a": 1, "/b": 5, "/c": 2, "/d": 2, "/e": 2})
	got, _ := s.Dimension("path")
	want := rollup.Dimension{
		Name:   "path",
		Values: []rollup.ValueCount{{"/b", 5}, {"/c", 2}, {"/d", 2}},
		Other:  3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dimension (-want +got):\n%s", diff)
	}
	stored, _ := decoded(t, s).Dimension("path")
	if diff := cmp.Diff(want, stored); diff != "" {
		t.Errorf("as stored (-want +got):\n%s", diff)
	}
}

// A value with a low count in one part may have the highest count in total, so a fold
// drops values only at its end.
func TestDimension_AFoldDropsValuesOnceAtItsEnd(t *testing.T) {
	s := paths(map[string]int{"/a": 1, "/b": 2, "/c": 2, "/d": 2})
	s.Merge(paths(map[string]int{"/a": 9, "/b": 1}))
	got, _ := s.Dimension("path")
	if diff := cmp.Diff([]rollup.ValueCount{{"/a", 10}, {"/b", 3}, {"/c", 2}}, got.Values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestDimension_MergeOfInexactIsInexact(t *testing.T) {
	cut := decoded(t, paths(map[string]int{"/a": 9, "/b": 8, "/c": 7, "/d": 6}))
	s := rollup.New(visits)
	s.Merge(cut)
	s.Merge(paths(map[string]int{"/a": 1}))
	got, _ := s.Dimension("path")
	if got.Exact || got.Other != 6 || got.Values[0] != (rollup.ValueCount{Value: "/a", Count: 10}) {
		t.Errorf("got %+v; want /a ten times, other 6, inexact", got)
	}
}

func TestDimension_LongValuesAreOther(t *testing.T) {
	longest, longer := strings.Repeat("a", rollup.MaxDimensionValue),
		strings.Repeat("b", rollup.MaxDimensionValue+1)
	got, _ := decoded(t, paths(map[string]int{longest: 2, longer: 3})).Dimension("path")
	want := rollup.Dimension{Name: "path", Values: []rollup.ValueCount{{longest, 2}}, Other: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dimension (-want +got):\n%s", diff)
	}
}
