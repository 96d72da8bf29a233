package goal_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func event(kind, page, amount string) model.Event {
	e := model.Event{Series: model.Series{Kind: kind},
		Attrs: model.Attrs{{Name: "page", Value: model.TextValue(page)}}}
	if amount != "" {
		e.Attrs = append(e.Attrs, model.Attr{Name: "amount", Value: model.NumberValue(model.MustDecimal(amount))})
		e.Attrs.Sort()
	}
	return e
}

func on(kind, pattern string) goal.Step {
	return goal.Step{Of: kind, Where: []goal.Match{{Field: "page", Pattern: pattern}}}
}

// measures returns the measures of a session of some events, as text.
func measures(g goal.Goal, duration time.Duration, events ...model.Event) string {
	set := goal.NewSet([]goal.Goal{g})
	p := set.Begin()
	for i := range events {
		set.Add(p, &events[i])
	}
	text := ""
	for _, a := range set.Attrs(p, duration) {
		text += fmt.Sprintf("%s=%s ", a.Name, a.Value)
	}
	return text
}

func TestStep_MatchesPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, page string
		met           bool
	}{
		{"/cart", "/cart", true}, {"/cart", "/cart/", false}, {"/cart", "x/cart", false}, {"/a.b", "/axb", false},
		{"/blog/*", "/blog/x", true}, {"/blog/*", "/blog/", true}, {"/blog/*", "/blog/x/y", false},
		{"/blog/**", "/blog/x/y", true}, {"**/end", "/a/b/end", true}, {"/*/x", "/a/x", true}, {"/*/x", "/a/b/x", false},
		{"/**", "/line\nbreak", true}, {"", "", true}, {"", "/", false},
	} {
		want := fmt.Sprintf("goal_x=%d ", map[bool]int{true: 1}[c.met])
		if got := measures(goal.Goal{Name: "x", Steps: []goal.Step{on("VIEW", c.pattern)}}, 0,
			event("VIEW", c.page, "")); got != want {
			t.Errorf("pattern %q, page %q: %s, want %s", c.pattern, c.page, got, want)
		}
	}
}

func TestStep_NeedsTheKindAndATextInEachField(t *testing.T) {
	t.Parallel()
	two := goal.Step{Of: "VIEW",
		Where: []goal.Match{{Field: "amount", Pattern: "**"}, {Field: "page", Pattern: "**"}}}
	for name, got := range map[string]string{
		"another kind":      measures(goal.Goal{Name: "x", Steps: []goal.Step{on("VIEW", "**")}}, 0, event("BUY", "/", "")),
		"no field":          measures(goal.Goal{Name: "x", Steps: []goal.Step{two}}, 0, event("VIEW", "/", "")),
		"a number":          measures(goal.Goal{Name: "x", Steps: []goal.Step{two}}, 0, event("VIEW", "/", "5")),
		"no events":         measures(goal.Goal{Name: "x", Steps: []goal.Step{{Of: "VIEW"}}}, 0),
		"a shorter session": measures(goal.Goal{Name: "x", MinDuration: time.Minute}, time.Minute-1),
	} {
		if got != "goal_x=0 " {
			t.Errorf("%s: %s, want the goal not met", name, got)
		}
	}
	if got := measures(goal.Goal{Name: "x", MinDuration: time.Minute}, time.Minute); got != "goal_x=1 " {
		t.Errorf("a session of the duration: %s, want the goal met", got)
	}
}

func TestGoal_CountsStepsInOrderAndAddsUpValues(t *testing.T) {
	t.Parallel()
	g := goal.Goal{Name: "buy", Steps: []goal.Step{on("VIEW", "/cart"), on("VIEW", "/*"), on("BUY", "**")},
		Value: "amount", MinDuration: time.Second}
	cart := event("VIEW", "/cart", "")
	other := event("VIEW", "/x", "")
	buy := event("BUY", "/", "9.95")
	for name, c := range map[string]struct {
		events   []model.Event
		duration time.Duration
		want     string
	}{
		"all steps":                 {[]model.Event{cart, other, buy}, time.Second, "goal_buy_1=1 goal_buy_2=1 goal_buy=1 goal_buy_value=9.95 "},
		"two values":                {[]model.Event{cart, cart, buy, other, buy, event("BUY", "/", "-0.05")}, time.Minute, "goal_buy_1=1 goal_buy_2=1 goal_buy=1 goal_buy_value=19.85 "},
		"another order":             {[]model.Event{buy, other, cart}, time.Minute, "goal_buy_1=1 goal_buy_2=0 goal_buy=0 "},
		"one event is one step":     {[]model.Event{cart, buy}, time.Minute, "goal_buy_1=1 goal_buy_2=0 goal_buy=0 "},
		"too short":                 {[]model.Event{cart, other, buy}, 0, "goal_buy_1=1 goal_buy_2=1 goal_buy=0 "},
		"without a value":           {[]model.Event{cart, other, event("BUY", "/", "")}, time.Minute, "goal_buy_1=1 goal_buy_2=1 goal_buy=1 "},
		"a value beyond every sum":  {[]model.Event{cart, other, event("BUY", "/", "1e20")}, time.Minute, "goal_buy_1=1 goal_buy_2=1 goal_buy=1 "},
		"a value before its steps":  {[]model.Event{cart, buy, other, buy}, time.Minute, "goal_buy_1=1 goal_buy_2=1 goal_buy=1 goal_buy_value=9.95 "},
		"a session without a match": {[]model.Event{event("VIEW", "/a/b", "")}, time.Minute, "goal_buy_1=0 goal_buy_2=0 goal_buy=0 "},
	} {
		if got := measures(g, c.duration, c.events...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// furthest returns how many of the first steps some events in order meet, by trying for each
// event whether the next step takes it or leaves it.
func furthest(steps []goal.Step, events []model.Event, next int) int {
	if next == len(steps) || len(events) == 0 {
		return next
	}
	best := furthest(steps, events[1:], next)
	page, _ := events[0].Attrs.Get("page")
	if pattern := steps[next].Where[0].Pattern; events[0].Series.Kind == steps[next].Of &&
		(pattern == "**" || pattern == page.Text) {
		best = max(best, furthest(steps, events[1:], next+1))
	}
	return best
}

func TestSet_MeetsAsManyStepsAsAnyChoiceOfEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.Custom(func(t *rapid.T) goal.Step {
			return on(rapid.SampledFrom([]string{"VIEW", "BUY"}).Draw(t, "of"),
				rapid.SampledFrom([]string{"/a", "/b", "**"}).Draw(t, "pattern"))
		})
		g := goal.Goal{Name: "x", Steps: rapid.SliceOfN(step, 1, goal.MaxSteps).Draw(t, "steps")}
		events := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) model.Event {
			return event(rapid.SampledFrom([]string{"VIEW", "BUY"}).Draw(t, "kind"),
				rapid.SampledFrom([]string{"/a", "/b", "/c"}).Draw(t, "page"), "")
		}), 0, 12).Draw(t, "events")
		want, reached := "", furthest(g.Steps, events, 0)
		for i, name := range g.Fields() {
			want += fmt.Sprintf("%s=%d ", name, map[bool]int{true: 1}[reached > i])
		}
		if got := measures(g, 0, events...); got != want {
			t.Fatalf("steps %v, %d events: %s, want %s", g.Steps, len(events), got, want)
		}
	})
}
