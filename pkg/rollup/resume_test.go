package rollup_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// foldUnder folds events one by one, as a look does.
func foldUnder(spec *rollup.Spec, events ...*model.Event) *rollup.Fold {
	f := rollup.NewFold(spec)
	for _, e := range events {
		f.AddEvent(e)
	}
	return f
}

// resumable draws events that expire, arrive, and cannot always be decoded, in order.
func resumable(t *rapid.T) []*model.Event {
	all := events(24).Draw(t, "events")
	for i, e := range all {
		e.ArrivedAt = e.At + model.Time(i)
		e.ExpiresAt = rapid.Int64Range(0, 3).Draw(t, "expires")
		e.Unreadable = rapid.IntRange(0, 9).Draw(t, "unreadable") == 0
	}
	slices.SortFunc(all, func(a, b *model.Event) int { return a.Compare(b.Order) })
	return all
}

func TestResume_GoingOnFromAnyPlaceIsTheWholeFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := resumable(t)
		cut := rapid.IntRange(0, len(all)).Draw(t, "cut")
		point := rollup.Resume{At: noon + 1, Newest: noon + 41, Before: *foldUnder(station, all[:cut]...)}
		stored := point.Encode(station)
		if stored == nil {
			t.Fatal("no point, though no dimension has more values than its top")
		}
		got, ok := rollup.DecodeResume(stored, station)
		if !ok || got.At != point.At || got.Newest != point.Newest {
			t.Fatalf("%+v, %v; want the point back", got, ok)
		}
		for _, e := range all[cut:] {
			got.Before.AddEvent(e)
		}
		want := foldUnder(station, all...)
		if !bytes.Equal(got.Before.Summary.Encode(nil), want.Summary.Encode(nil)) {
			t.Errorf("the summary has other bytes than that of the whole fold")
		}
		got.Before.Summary, want.Summary = nil, nil
		if got.Before != *want {
			t.Errorf("%+v, want %+v", got.Before, *want)
		}
	})
}

func TestResume_DistinctCountGoesOnInEitherForm(t *testing.T) {
	for _, before := range []int{3, 256, 300} {
		fold := foldUnder(station)
		fold.Summary.Merge(visitors(0, before))
		got, ok := rollup.DecodeResume((&rollup.Resume{Before: *fold}).Encode(station), station)
		if !ok {
			t.Fatalf("%d visitors before: no point", before)
		}
		got.Before.Summary.Merge(visitors(before, 400))
		if encoded(got.Before.Summary) != encoded(visitors(0, 400)) {
			t.Errorf("%d visitors before the point and %d after it are not all 400", before, 400-before)
		}
	}
}

// What was cut off a dimension before the point may be among its top after it.
func TestResume_OfACutDimensionThereIsNone(t *testing.T) {
	top := &rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "path", Top: 2}}}
	two, three := foldUnder(top, event(noon, "1", "path", "/a"), event(noon, "2", "path", "/b")), foldUnder(top)
	three.Summary.Merge(two.Summary)
	three.AddEvent(event(noon, "3", "path", "/c"))
	if (&rollup.Resume{Before: *two}).Encode(top) == nil {
		t.Error("two values of two: no point")
	}
	if b := (&rollup.Resume{Before: *three}).Encode(top); b != nil {
		t.Errorf("three values of two: a point of %d bytes", len(b))
	}
	long := foldUnder(top, event(noon, "1", "path", strings.Repeat("x", rollup.MaxDimensionValue+1)))
	if (&rollup.Resume{Before: *long}).Encode(top) == nil {
		t.Error("a value too long to be kept is other for good: no point")
	}
}

func TestDecodeResume_RefusesAPointOfAnotherDeclaration(t *testing.T) {
	declared := func() *rollup.Spec {
		return &rollup.Spec{
			Measures:   []rollup.MeasureSpec{{Name: "a", Scale: 3}},
			Dimensions: []rollup.DimensionSpec{{Name: "d", Top: 5}}, Distinct: []string{"v"},
		}
	}
	stored := (&rollup.Resume{Before: *foldUnder(declared(), event(noon, "1", "a", "1", "d", "x"))}).Encode(declared())
	if _, ok := rollup.DecodeResume(stored, declared()); !ok {
		t.Fatal("the same declaration is refused")
	}
	for change, to := range map[string]func(*rollup.Spec){
		"a scale":            func(s *rollup.Spec) { s.Measures[0].Scale++ },
		"percentiles":        func(s *rollup.Spec) { s.Measures[0].Percentiles = true },
		"a measure's name":   func(s *rollup.Spec) { s.Measures[0].Name = "b" },
		"a measure more":     func(s *rollup.Spec) { s.Measures = append(s.Measures, rollup.MeasureSpec{Name: "b"}) },
		"a dimension less":   func(s *rollup.Spec) { s.Dimensions = nil },
		"a top":              func(s *rollup.Spec) { s.Dimensions[0].Top++ },
		"a distinct more":    func(s *rollup.Spec) { s.Distinct = append(s.Distinct, "w") },
		"most measures":      func(s *rollup.Spec) { s.MaxMeasures = 3 },
		"from one to a list": func(s *rollup.Spec) { s.Dimensions, s.Distinct = nil, []string{"d", "v"} },
	} {
		other := declared()
		to(other)
		if _, ok := rollup.DecodeResume(stored, other); ok {
			t.Errorf("%s: the point is taken", change)
		}
	}
	standard := declared()
	standard.MaxMeasures = rollup.DefaultMaxMeasures
	if _, ok := rollup.DecodeResume(stored, standard); !ok {
		t.Error("a default that is written out is another declaration")
	}
}

func TestDecodeResume_RefusesWhatNobodyWrote(t *testing.T) {
	stored := (&rollup.Resume{At: noon, Newest: noon + 9, Before: *foldUnder(station, event(noon-1, "1", "temperature", "21.5"))}).Encode(station)
	if _, ok := rollup.DecodeResume(nil, station); ok {
		t.Error("no bytes are a point")
	}
	for cut := range stored {
		if _, ok := rollup.DecodeResume(stored[:cut], station); ok {
			t.Errorf("the first %d of %d bytes are a point", cut, len(stored))
		}
	}
	newer := slices.Clone(stored)
	newer[0]++
	if _, ok := rollup.DecodeResume(newer, station); ok {
		t.Error("a point of a newer version is read")
	}
}

// The bytes are stored: a release must go on from what another left, or refuse it.
func TestResume_BytesAreAsTheyAlwaysWere(t *testing.T) {
	before := foldUnder(station, event(noon, "1", "temperature", "21.5"), event(noon+1, "2", "temperature", "22"))
	before.ChildrenUntil, before.NewestArrival, before.Unreadable = 1_779_285_601, noon+500, 1
	got := fmt.Sprintf("%x", (&rollup.Resume{At: noon + 2, Newest: noon + 1000, Before: *before}).Encode(station))
	const want = "0128aab53a3ccb396984fc86b3b567e60701e1fcb6d006e88387b3b567cc7f867344ff165117ea9ff3b8160e1a0100020280fc86b3b5670131020132010b74656d70657261747572651902000008e606ae03b803ae03b803a1e305000102ce1d0102010000"
	if got != want {
		t.Errorf("stored otherwise than before:\n%s\n%s", got, want)
	}
}

func FuzzDecodeResume(f *testing.F) {
	f.Add((&rollup.Resume{At: noon, Newest: noon + 9, Before: *foldUnder(station, event(noon-1, "1", "temperature", "21.5"))}).Encode(station))
	f.Fuzz(func(t *testing.T, b []byte) {
		point, ok := rollup.DecodeResume(b, station)
		if !ok {
			return
		}
		stored := point.Encode(station)
		if stored == nil {
			return // more values of a dimension than are ever stored
		}
		again, ok := rollup.DecodeResume(stored, station)
		if !ok || again.At != point.At || again.Newest != point.Newest || !again.Before.Holds(&point.Before) {
			t.Errorf("%x is a point that is not itself again", b)
		}
	})
}
