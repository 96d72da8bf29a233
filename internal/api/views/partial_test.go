package views

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A bucket that is exact was folded before most of its fields were declared.
func partialRollup(partial rollup.AddedFields) query.Rollup {
	spec := &rollup.Spec{
		Measures: []rollup.MeasureSpec{{Name: "a"}, {Name: "b", Percentiles: true}}, Dimensions: []rollup.DimensionSpec{{Name: "room"}}, Distinct: []string{"badge"},
	}
	f := rollup.NewFold(spec)
	one := model.NumberValue(model.NewDecimal(1))
	f.AddEvent(&model.Event{Attrs: model.Attrs{{Name: "a", Value: one}, {Name: "b", Value: one},
		{Name: "badge", Value: model.TextValue("x")}, {Name: "room", Value: model.TextValue("r")}}})
	return query.Rollup{Bucket: tier.Day.BucketAt(0), Fold: *f, Partial: partial}
}

func TestRollup_PartialFieldsAreNeverExact(t *testing.T) {
	t.Parallel()
	since := model.Time(3_600_000)
	all := rollup.AddedFields{
		{Role: rollup.MeasureRole, Name: "a", Since: since, WholeFrom: since}, {Role: rollup.PercentilesRole, Name: "b", Since: since, WholeFrom: since},
		{Role: rollup.DimensionRole, Name: "room", Since: since, WholeFrom: since}, {Role: rollup.DistinctRole, Name: "badge", Since: model.MaxTime, WholeFrom: model.MaxTime},
	}
	got := NewRollup(partialRollup(all))
	text, err := json.Marshal(got.Partial)
	want := `[{"role":"measure","field":"a","wholeFrom":"1970-01-01T01:00:00.000Z"},{"role":"percentiles","field":"b","wholeFrom":"1970-01-01T01:00:00.000Z"},` +
		`{"role":"dimension","field":"room","wholeFrom":"1970-01-01T01:00:00.000Z"},{"role":"distinct","field":"badge","wholeFrom":null}]`
	if err != nil || string(text) != want {
		t.Errorf("partial %s, %v; want %s", text, err, want)
	}
	if got.Exact || got.Dimensions["room"].Exact || got.Distinct["badge"].Exact {
		t.Errorf("exact %t, room %t, badge %t; want none", got.Exact, got.Dimensions["room"].Exact,
			got.Distinct["badge"].Exact)
	}
	var csv bytes.Buffer
	if err := FormatCSV.Write(&csv,
		NewRollups(query.RollupPage{Rollups: []query.Rollup{partialRollup(all)}})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		",false,false,1,,,,1970-01-01T01:00:00.000Z,1970-01-01,UTC,false,,,,,,,,,,\n",
		",true,false,1,,,,1970-01-01T01:00:00.000Z,1970-01-01,UTC,false,,,,,,,,,,\n",
		",false,false,1,badge,,1,unknown,1970-01-01,UTC,false,,,,,,,,,,\n",
		",false,false,1,room,r,,1970-01-01T01:00:00.000Z,1970-01-01,UTC,false,,,,,,,,,,\n",
	} {
		if !strings.Contains(csv.String(), want) {
			t.Errorf("no line ends in %q:\n%s", want, csv.String())
		}
	}
}

// A dimension that is partial says so itself: measures of the bucket remain exact.
func TestRollup_APartialDimensionLeavesTheOtherFiguresExact(t *testing.T) {
	t.Parallel()
	got := NewRollup(partialRollup(
		rollup.AddedFields{{Role: rollup.DimensionRole, Name: "room", Since: 1, WholeFrom: 1}}))
	if !got.Exact || got.Dimensions["room"].Exact || !got.Distinct["badge"].Exact {
		t.Errorf("exact %t, room %t, badge %t; want only the dimension inexact", got.Exact,
			got.Dimensions["room"].Exact, got.Distinct["badge"].Exact)
	}
	if whole := NewRollup(partialRollup(nil)); !whole.Exact || whole.Partial != nil ||
		!whole.Dimensions["room"].Exact {
		t.Errorf("nothing is partial, but: %+v", whole)
	}
}
