package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// eventsWith returns the total of an event for each text of each place, which has the two most frequent.
func eventsWith(places map[string][]string) *Total {
	spec := &rollup.Spec{Dimensions: []rollup.DimensionSpec{{Name: "prop1", Top: 2}, {Name: "prop2", Top: 2}}}
	t := Total{Properties: []string{"prop1", "prop2"}, Fold: *rollup.NewFold(spec)}
	for place, all := range places {
		for _, text := range all {
			e := model.Event{Attrs: model.Attrs{{Name: place, Value: model.TextValue(text)}}}
			t.AddEvent(&e)
		}
	}
	return &t
}

func counts(value, event string, n int64) []Counted {
	return []Counted{{Value: value, Event: event, Count: n}}
}

func TestDimensions_PropertiesHaveTheirNamesAndEvents(t *testing.T) {
	t.Parallel()
	got := eventsWith(map[string][]string{
		"prop1": {"Buy?plan=pro", "Buy?plan=pro", "Buy?a%3Fb=1"},
		"prop2": {"Buy?plan=pro", "Sign up?plan=pro"},
	}).Dimensions()
	want := []Dimension{
		{Name: "props.a?b", Field: "prop1", Values: counts("1", "Buy", 1), Exact: true},
		{
			Name: "props.plan", Field: "prop1", Exact: true,
			Values: append(counts("pro", "Buy", 3), counts("pro", "Sign up", 1)...),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDimensions_APlaceWithOtherValuesSaysSo(t *testing.T) {
	t.Parallel()
	total := eventsWith(map[string][]string{
		"prop1": {"Buy?plan=pro", "Buy?plan=pro", "of no property", "of no property", "Buy?rare=1"},
	})
	want := []Dimension{
		{Name: "prop1", Field: "prop1", Values: counts("of no property", "", 2), Other: 1},
		{Name: "props.plan", Field: "prop1", Values: counts("pro", "Buy", 2), Other: 1},
	}
	if diff := cmp.Diff(want, total.Dimensions()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, want := range map[string]Dimension{
		"props.rare": {Name: "props.rare", Field: "props.rare", Values: []Counted{}, Other: 1},
		"prop2":      {Name: "prop2", Field: "prop2", Values: []Counted{}, Exact: true},
	} {
		if diff := cmp.Diff(want, total.dimension(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
