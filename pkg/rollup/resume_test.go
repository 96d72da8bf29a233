package rollup_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// foldOfSpec folds events one by one, as a recomputation does.
func foldOfSpec(spec *rollup.Spec, events ...*model.Event) *rollup.Fold {
	f := rollup.NewFold(spec)
	for _, e := range events {
		f.AddEvent(e)
	}
	return f
}

// eventsInOrder draws events in order of time, some of which expire or are unreadable.
func eventsInOrder(t *rapid.T) []*model.Event {
	all := events(24).Draw(t, "events")
	for i, e := range all {
		e.ArrivedAt = e.At + model.Time(i)
		e.ExpiresAt = rapid.Int64Range(0, 3).Draw(t, "expires")
		e.Unreadable = rapid.IntRange(0, 9).Draw(t, "unreadable") == 0
	}
	slices.SortFunc(all, func(a, b *model.Event) int { return a.Compare(b.Order) })
	return all
}

func TestResumePoint_FoldResumedAnywhereEqualsTheCompleteFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := eventsInOrder(t)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		point := rollup.ResumePoint{At: noon + 1, Newest: noon + 41, Before: *foldOfSpec(station, all[:cut]...)}
		stored := point.Encode(station)
		if stored == nil {
			t.Fatal("no point, but no dimension has more values than its top")
		}
		got, ok := rollup.DecodeResumePoint(stored, station)
		if !ok || got.At != point.At || got.Newest != point.Newest {
			t.Fatalf("%+v, %v; want the encoded point", got, ok)
		}
		for _, e := range all[cut:] {
			got.Before.AddEvent(e)
		}
		want := foldOfSpec(station, all...)
		if !bytes.Equal(got.Before.Summary.Encode(nil), want.Summary.Encode(nil)) {
			t.Errorf("the summary has other bytes than that of the complete fold")
		}
		got.Before.Summary, want.Summary = nil, nil
		if got.Before != *want {
			t.Errorf("%+v, want %+v", got.Before, *want)
		}
	})
}

func TestResumePoint_DistinctCountResumesInEitherForm(t *testing.T) {
	for _, before := range []int{3, 256, 300} {
		fold := foldOfSpec(station)
		fold.Summary.Merge(visitors(0, before))
		got, ok := rollup.DecodeResumePoint((&rollup.ResumePoint{Before: *fold}).Encode(station), station)
		if !ok {
			t.Fatalf("%d visitors before: no point", before)
		}
		got.Before.Summary.Merge(visitors(before, 400))
		if encoded(got.Before.Summary) != encoded(visitors(0, 400)) {
			t.Errorf("%d visitors before the point and %d after it do not make 400", before, 400-before)
		}
	}
}

// A value dropped from a dimension before the point may be among its top values later.
func TestResumePoint_NoneWhereADimensionDropsValues(t *testing.T) {
	top := &rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "path", Top: 2}}}
	two, three := foldOfSpec(top, event(noon, "1", "path", "/a"), event(noon, "2", "path", "/b")), foldOfSpec(top)
	three.Summary.Merge(two.Summary)
	three.AddEvent(event(noon, "3", "path", "/c"))
	if (&rollup.ResumePoint{Before: *two}).Encode(top) == nil {
		t.Error("two values of two: no point")
	}
	if b := (&rollup.ResumePoint{Before: *three}).Encode(top); b != nil {
		t.Errorf("three values of two: a point of %d bytes", len(b))
	}
	long := foldOfSpec(top, event(noon, "1", "path", strings.Repeat("x", rollup.MaxDimensionValue+1)))
	if (&rollup.ResumePoint{Before: *long}).Encode(top) == nil {
		t.Error("no point, but a value that is too long always counts as other")
	}
}

func TestDecodeResumePoint_RejectsAnotherDeclaration(t *testing.T) {
	declared := func() *rollup.Spec {
		return &rollup.Spec{
			Measures:   []rollup.MeasureSpec{{Name: "a", Scale: 3}},
			Dimensions: []rollup.DimensionSpec{{Name: "d", Top: 5}}, Distinct: []string{"v"},
		}
	}
	stored := (&rollup.ResumePoint{Before: *foldOfSpec(declared(), event(noon, "1", "a", "1", "d", "x"))}).Encode(declared())
	if _, ok := rollup.DecodeResumePoint(stored, declared()); !ok {
		t.Fatal("the same declaration is rejected")
	}
	for change, to := range map[string]func(*rollup.Spec){
		"a scale":            func(s *rollup.Spec) { s.Measures[0].Scale++ },
		"percentiles":        func(s *rollup.Spec) { s.Measures[0].Percentiles = true },
		"a measure's name":   func(s *rollup.Spec) { s.Measures[0].Name = "b" },
		"one measure more":   func(s *rollup.Spec) { s.Measures = append(s.Measures, rollup.MeasureSpec{Name: "b"}) },
		"one dimension less": func(s *rollup.Spec) { s.Dimensions = nil },
		"a top":              func(s *rollup.Spec) { s.Dimensions[0].Top++ },
		"one distinct more":  func(s *rollup.Spec) { s.Distinct = append(s.Distinct, "w") },
		"MaxMeasures":        func(s *rollup.Spec) { s.MaxMeasures = 3 },
		"another list":       func(s *rollup.Spec) { s.Dimensions, s.Distinct = nil, []string{"d", "v"} },
	} {
		other := declared()
		to(other)
		if _, ok := rollup.DecodeResumePoint(stored, other); ok {
			t.Errorf("%s changed, but the point is accepted", change)
		}
	}
	standard := declared()
	standard.MaxMeasures = rollup.DefaultMaxMeasures
	if _, ok := rollup.DecodeResumePoint(stored, standard); !ok {
		t.Error("a default that is declared explicitly is rejected")
	}
}

func TestDecodeResumePoint_RejectsOtherBytes(t *testing.T) {
	stored := (&rollup.ResumePoint{At: noon, Newest: noon + 9, Before: *foldOfSpec(station, event(noon-1, "1", "temperature", "21.5"))}).Encode(station)
	if _, ok := rollup.DecodeResumePoint(nil, station); ok {
		t.Error("no bytes are accepted as a point")
	}
	for cut := range stored {
		if _, ok := rollup.DecodeResumePoint(stored[:cut], station); ok {
			t.Errorf("the first %d of %d bytes are accepted as a point", cut, len(stored))
		}
	}
	newer := slices.Clone(stored)
	newer[0]++
	if _, ok := rollup.DecodeResumePoint(newer, station); ok {
		t.Error("a point of a newer version is accepted")
	}
}

// The bytes are stored: a release must resume from those of another one, or reject them.
func TestResumePoint_BytesDoNotChange(t *testing.T) {
	before := foldOfSpec(station, event(noon, "1", "temperature", "21.5"), event(noon+1, "2", "temperature", "22"))
	before.ChildrenExpireAt, before.NewestArrival, before.Unreadable = 1_779_285_601, noon+500, 1
	got := fmt.Sprintf("%x", (&rollup.ResumePoint{At: noon + 2, Newest: noon + 1000, Before: *before}).Encode(station))
	const want = "0128aab53a3ccb396984fc86b3b567e60701e1fcb6d006e88387b3b567cc7f867344ff165117ea9ff3b8160e1a0100020280fc86b3b5670131020132010b74656d70657261747572651902000008e606ae03b803ae03b803a1e305000102ce1d0102010000"
	if got != want {
		t.Errorf("encoded as\n%s\nwant\n%s", got, want)
	}
}

func FuzzDecodeResumePoint(f *testing.F) {
	testenv.AddCorpus(f)
	f.Add((&rollup.ResumePoint{At: noon, Newest: noon + 9, Before: *foldOfSpec(station, event(noon-1, "1", "temperature", "21.5"))}).Encode(station))
	f.Fuzz(func(t *testing.T, b []byte) {
		point, ok := rollup.DecodeResumePoint(b, station)
		if !ok {
			return
		}
		stored := point.Encode(station)
		if stored == nil {
			return // a dimension has more values than are stored
		}
		again, ok := rollup.DecodeResumePoint(stored, station)
		if !ok || again.At != point.At || again.Newest != point.Newest || !again.Before.Covers(&point.Before) {
			t.Errorf("%x decodes to a point that changes when it is encoded and decoded again", b)
		}
	})
}
