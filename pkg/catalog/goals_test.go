package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func orders() catalog.Kind { return catalog.Kind{Name: "ORDER", Subject: site, Shards: 2} }

func visitsWithGoals() catalog.Kind {
	v := visits()
	v.Goals = []goal.Goal{
		{Name: "cart", Steps: []goal.Step{{Of: "CLICK", Where: []goal.Match{{Field: "path", Pattern: "/cart"}}}}},
		{Name: "buy", Steps: []goal.Step{{Of: "CLICK"}, {Of: "ORDER"}}, Value: "amount"},
		{Name: "stay", MinDuration: time.Minute},
	}
	return v
}

func TestNew_GoalsAreMeasuresAndTheirEventsAreSources(t *testing.T) {
	c, err := catalog.New(clicks(), visitsWithGoals(), orders())
	if err != nil {
		t.Fatal(err)
	}
	visit, _ := c.Kind("VISIT")
	want := []rollup.MeasureSpec{{Name: "goal_buy"}, {Name: "goal_buy_1"}, {Name: "goal_buy_value", Scale: 9},
		{Name: "goal_cart"}, {Name: "goal_stay"}}
	if got := visit.Spec().Measures; !slices.Equal(got, want) {
		t.Errorf("measures %v, want %v", got, want)
	}
	var sources []string
	for _, s := range visit.SourceSeries(
		model.Series{Subject: model.Subject{Type: "SITE", ID: "x"}, Kind: "VISIT"}) {
		sources = append(sources, s.Kind)
	}
	if want := []string{"CLICK", "CLICK", "ORDER", "ORDER"}; !slices.Equal(sources, want) {
		t.Errorf("sources %v, want both shards of each kind", sources)
	}
	if of := c.SessionKinds("ORDER"); len(of) != 1 || of[0] != visit {
		t.Errorf("sessions that orders may change are %v", of)
	}
	again, err := catalog.New(c.Kinds...)
	if err != nil || !slices.Equal(again.Kinds[1].Spec().Measures, want) {
		t.Errorf("a complete kind declared again: %v", err)
	}
}

func TestNew_RejectsGoalsThatNoSessionOrEachWouldMeet(t *testing.T) {
	for name, c := range map[string]struct {
		change func(visit, order *catalog.Kind)
		want   string
	}{
		"of a kind with events":   {func(v, o *catalog.Kind) { o.Goals, v.Goals = v.Goals, nil }, "kind ORDER: goals: only sessions meet goals"},
		"without a condition":     {func(v, _ *catalog.Kind) { v.Goals[2].MinDuration = 0 }, "goals.stay: every session would meet it"},
		"a value without events":  {func(v, _ *catalog.Kind) { v.Goals[2].Value = "amount" }, "goals.stay.value: is a number of an event"},
		"of many steps":           {func(v, _ *catalog.Kind) { v.Goals[0].Steps = make([]goal.Step, 9) }, "goals.cart.steps: 9 are declared: want at most 8"},
		"of no kind":              {func(v, _ *catalog.Kind) { v.Goals[1].Steps[1].Of = "SALE" }, "goals.buy.of: \"SALE\" is not a kind"},
		"of sessions":             {func(v, _ *catalog.Kind) { v.Goals[1].Steps[1].Of = "VISIT" }, "goals.buy.of: \"VISIT\" is not a kind"},
		"of another subject":      {func(_, o *catalog.Kind) { o.Subject = catalog.SubjectType{Name: "SHOP"} }, "goals.buy.of: \"ORDER\" is not a kind"},
		"of a reserved field":     {func(v, _ *catalog.Kind) { v.Goals[0].Steps[0].Where[0].Field = "_x" }, "goals.cart.where._x: names that begin with _"},
		"with a long name":        {func(v, _ *catalog.Kind) { v.Goals[0].Name = strings.Repeat("x", 60) }, "longer than 64 bytes"},
		"declared twice":          {func(v, _ *catalog.Kind) { v.Goals[2].Name = "buy_1" }, "goals.buy_1: \"goal_buy_1\" is a measure of another goal already"},
		"of events without hours": {func(_, o *catalog.Kind) { o.Retention = tier.Policy{Raw: 30 * tier.Day24} }, "goals.buy.of: ORDER has no tier hour"},
		"of short-lived events": {func(_, o *catalog.Kind) {
			o.Retention = tier.Standard()
			o.Retention.Raw = 20 * tier.Day24
		}, "goals.buy.of: its events are kept for 480h0m0s, and the sessions' events for 720h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			visit, order := visitsWithGoals(), orders()
			c.change(&visit, &order)
			if _, err := catalog.New(clicks(), visit, order); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
