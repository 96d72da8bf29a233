package simulation

import (
	"math/big"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestHundredths_RoundsHalfToEven(t *testing.T) {
	for given, want := range map[string]string{"0.125": "0.12", "-0.125": "-0.12", "0.135": "0.14", "2.5": "2.5",
		"-0.126": "-0.13"} {
		n, _ := new(big.Rat).SetString(given)
		wanted, _ := new(big.Rat).SetString(want)
		if got, lost := hundredths(n); got.Cmp(wanted) != 0 || lost != (n.Cmp(wanted) != 0) {
			t.Errorf("%s: got %s, digits lost: %v, want %s", given, got.RatString(), lost, want)
		}
	}
}

// The recount with math/big notices each figure that is wrong.
func TestCheckSummary_FindsAWrongFigure(t *testing.T) {
	kind, _ := newCatalog(catalog.Kind{
		Name: kindName, Subject: catalog.SubjectType{Name: "DEVICE"}, Retention: tier.Standard(), Distinct: []string{"who"},
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 2}}, Dimensions: []rollup.DimensionSpec{{Name: "state"}},
	}).Kind(kindName)
	event := func(i int, value, state, who string) *model.Event {
		return &model.Event{Order: model.Order{At: model.Time(i)}, Attrs: model.Attrs{
			{Name: "state", Value: model.TextValue(state)}, {Name: "value", Value: model.NumberValue(model.MustDecimal(value))}, {Name: "who", Value: model.TextValue(who)},
		}}
	}
	right := []*model.Event{event(1, "1", "on", "ann"), event(2, "-0.125", "off", "bo"),
		event(3, "2.5", "on", "ann")}
	fold := rollup.NewFold(kind.Spec())
	for _, e := range right {
		fold.AddEvent(e)
	}
	if err := checkSummary(fold.Summary, right); err != nil {
		t.Errorf("a right summary: %v", err)
	}
	for name, wrong := range map[string][]*model.Event{
		"an event more":        append(right[:3:3], event(4, "1", "on", "ann")),
		"another value":        {right[0], right[1], event(3, "2.51", "on", "ann")},
		"other rounded digits": {right[0], event(2, "-0.12", "off", "bo"), right[2]},
		"another order":        {event(3, "1", "on", "ann"), right[1], event(1, "2.5", "on", "ann")},
		"another state":        {right[0], right[1], event(3, "2.5", "off", "ann")},
		"one person":           {right[0], event(2, "-0.125", "off", "ann"), right[2]},
	} {
		if checkSummary(fold.Summary, wrong) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}
