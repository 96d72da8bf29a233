package rollup_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func added(role rollup.FieldRole, name string, since, whole model.Time) rollup.AddedField {
	return rollup.AddedField{Role: role, Name: name, Since: since, WholeFrom: whole}
}

// The figures of a field are partial where the fold is of an earlier version of the fields, and
// where the field is not declared any more.
func TestPartial_NamesTheFieldsThatAFoldMayMiss(t *testing.T) {
	with := func(fields ...rollup.AddedField) *rollup.Spec {
		s := *visits
		s.Added = fields
		return &s
	}
	path := added(rollup.DimensionRole, "path", noon, noon+5)
	removed := func(role rollup.FieldRole, name string) rollup.AddedField {
		return added(role, name, model.MaxTime, model.MaxTime)
	}
	for name, c := range map[string]struct {
		spec     *rollup.Spec
		fieldsAt model.Time
		want     rollup.AddedFields
	}{
		"nothing was added":        {visits, 0, nil},
		"of the version before":    {with(path), noon - 1, rollup.AddedFields{path}},
		"of the version":           {with(path), noon, nil},
		"no declaration":           {nil, 0, nil},
		"a removed distinct count": {&rollup.Spec{Dimensions: visits.Dimensions}, 0, rollup.AddedFields{removed(rollup.DistinctRole, "visitor")}},
		"a removed dimension":      {&rollup.Spec{Distinct: visits.Distinct}, 0, rollup.AddedFields{removed(rollup.DimensionRole, "path")}},
		"removed after it was added": {&rollup.Spec{Distinct: visits.Distinct, Added: rollup.AddedFields{path}}, noon - 1,
			rollup.AddedFields{added(rollup.DimensionRole, "path", noon, model.MaxTime)}},
		"both removed": {&rollup.Spec{}, 0, rollup.AddedFields{removed(rollup.DimensionRole, "path"), removed(rollup.DistinctRole, "visitor")}},
	} {
		f := rollup.NewFold(visits)
		f.AddEvent(event(noon, "1", "path", "/a", "visitor", "v"))
		f.FieldsAt = c.fieldsAt
		if diff := cmp.Diff(c.want, c.spec.Partial(f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, f := range map[string]*rollup.Fold{"a fold of no events": rollup.NewFold(visits),
		"a fold without a summary": {}} {
		if got := with(path).Partial(f); got != nil {
			t.Errorf("%s: %v, want none", name, got)
		}
	}
}

func TestAddedFields_FindsByRoleAndName(t *testing.T) {
	all := rollup.AddedFields{added(rollup.MeasureRole, "x", 1, 2), added(rollup.PercentilesRole, "x", 3, 4)}
	if f, ok := all.Find(rollup.PercentilesRole, "x"); !ok || f != all[1] {
		t.Errorf("found %+v, %v; want the second", f, ok)
	}
	for _, absent := range []rollup.AddedField{{Role: rollup.DistinctRole, Name: "x"},
		{Role: rollup.MeasureRole, Name: "y"}} {
		if f, ok := all.Find(absent.Role, absent.Name); ok || f != (rollup.AddedField{}) {
			t.Errorf("%s %s: found %+v", absent.Role, absent.Name, f)
		}
	}
}

func TestAddedFields_MergeHasTheLaterTimeOfEachAndChangesNeither(t *testing.T) {
	a := rollup.AddedFields{added(rollup.MeasureRole, "x", 1, 5), added(rollup.DistinctRole, "y", 1, 5)}
	b := rollup.AddedFields{added(rollup.MeasureRole, "x", 1, 9), added(rollup.DistinctRole, "y", 1, 2),
		added(rollup.MeasureRole, "y", 1, 1), added(rollup.DistinctRole, "x", 1, 1)}
	want := rollup.AddedFields{added(rollup.MeasureRole, "x", 1, 9), a[1], b[2], b[3]}
	if diff := cmp.Diff(want, a.Merge(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a[0].WholeFrom != 5 || b[0].WholeFrom != 9 {
		t.Error("the merge has changed its arguments")
	}
	if diff := cmp.Diff(b, rollup.AddedFields(nil).Merge(b)); diff != "" {
		t.Errorf("of none (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(a, a.Merge(nil)); diff != "" {
		t.Errorf("with none (-want +got):\n%s", diff)
	}
}

// A measure without values has no figures, and one with values has all of them.
func TestMeasure_HasFiguresIfItHasValues(t *testing.T) {
	figures := func(m rollup.Measure) (ok []bool) {
		for _, f := range []func() (float64, bool){m.Avg, m.Variance, m.Stddev,
			func() (float64, bool) { return m.Quantile(.5) }} {
			_, is := f()
			ok = append(ok, is)
		}
		return ok
	}
	spec := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Percentiles: true}}}
	m, _ := newSummary(spec, event(noon, "1", "x", "3")).Measure("x")
	if diff := cmp.Diff([]bool{true, true, true, true}, figures(m)); diff != "" {
		t.Errorf("one value (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]bool{false, false, false, false}, figures(rollup.Measure{})); diff != "" {
		t.Errorf("no value (-want +got):\n%s", diff)
	}
	for _, q := range []float64{-.01, 1.01} {
		if got, ok := m.Quantile(q); ok {
			t.Errorf("quantile %v is %v, want none", q, got)
		}
	}
	for _, q := range []float64{0, 1} {
		if got, ok := m.Quantile(q); !ok || got != 3 {
			t.Errorf("quantile %v is %v, %v; want 3", q, got, ok)
		}
	}
}
