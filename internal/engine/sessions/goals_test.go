package sessions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// shop are goals of each form: a path, an event with a value, a duration, a funnel.
func shop() []goal.Goal {
	viewed := goal.Step{Of: web.PageViews.Name, Where: []goal.Match{{Field: webfield.Path, Pattern: "/x"}}}
	bought := goal.Step{Of: web.CustomEvents.Name, Where: []goal.Match{{Field: webfield.Name, Pattern: "Buy"}}}
	return []goal.Goal{
		{Name: "x", Steps: []goal.Step{viewed}},
		{Name: "buy", Steps: []goal.Step{bought}, Value: "revenue_EUR"},
		{Name: "stay", MinDuration: 20 * time.Minute},
		{Name: "funnel", Steps: []goal.Step{viewed, bought}},
	}
}

func kindWithGoals(t fataler) *catalog.Kind {
	declared := web.Sessions
	rule := *declared.Sessions
	rule.Follow = follow
	declared.Sessions, declared.Goals = &rule, shop()
	kinds, err := catalog.New(web.PageViews, web.CustomEvents, declared)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := kinds.Kind(declared.Name)
	return k
}

func custom(at model.Time, id, visitor, name string, cents int64) model.Event {
	e := view(at, id, visitor, "/")
	e.Series.Kind = web.CustomEvents.Name
	e.Attrs = append(e.Attrs,
		model.Attr{Name: webfield.Name, Value: model.TextValue(name)},
		model.Attr{Name: "revenue_EUR",
			Value: model.NumberValue(model.MustDecimal(fmt.Sprintf("%d.%02d", cents/100, cents%100)))})
	e.Attrs.Sort()
	return e
}

// met is what a recount says of the goals of the sessions of a bucket.
type met struct{ x, buy, cents, paid, stay, funnel1, funnel int64 }

// recountGoals counts the goals of the sessions that begin in an hour, visitor by visitor: an event
// is part of the last session that began at its time or before, if that has a view in the gap
// before it.
func recountGoals(views, others []model.Event, hour tier.Bucket) (m met) {
	const gap = 30 * time.Minute
	byVisitor := map[string][]model.Event{}
	for _, v := range views {
		if who, ok := v.Attrs.Get(webfield.Visitor); ok {
			byVisitor[who.Text] = append(byVisitor[who.Text], v)
		}
	}
	for who, all := range byVisitor {
		for i, v := range all {
			if !hour.Contains(v.At) || i > 0 && v.At.Sub(all[i-1].At) <= gap {
				continue
			}
			chain := []model.Event{v}
			for _, next := range all[i+1:] {
				if next.At.Sub(chain[len(chain)-1].At) > gap {
					break
				}
				chain = append(chain, next)
			}
			end := chain[len(chain)-1].At.Add(gap)
			until := hour.End.Add(follow)
			firstX := model.MaxTime
			last := v.At
			bought := false
			cents := int64(0)
			after := false
			for _, c := range chain {
				if c.At < until {
					if last = c.At; path(c) == "/x" {
						firstX = min(firstX, c.At)
					}
				}
			}
			for _, o := range others {
				key, _ := o.Attrs.Get(webfield.Visitor)
				name, _ := o.Attrs.Get(webfield.Name)
				if key.Text == who && name.Text == "Buy" && o.At >= v.At && o.At <= end && o.At < until {
					amount, _ := o.Attrs.Get("revenue_EUR")
					n, _ := amount.Number.Scaled64(2)
					bought = true
					cents += n
					after = after || firstX <= o.At
				}
			}
			one := func(is bool) int64 { return map[bool]int64{true: 1}[is] }
			m.x += one(firstX < model.MaxTime)
			m.buy += one(bought)
			m.cents += cents
			m.paid += one(bought)
			m.stay += one(last.Sub(v.At) >= 20*time.Minute)
			m.funnel1, m.funnel = m.funnel1+one(firstX < model.MaxTime), m.funnel+one(after)
		}
	}
	return m
}

func metBy(f *rollup.Fold) (m met) {
	sum := func(name string, scale int) int64 {
		measure, _ := f.Summary.Measure(name)
		n, _ := measure.Sum.Scaled64(scale)
		return n
	}
	value, _ := f.Summary.Measure("goal_buy_value")
	return met{
		x: sum("goal_x", 0), buy: sum("goal_buy", 0), cents: sum("goal_buy_value", 2), paid: value.Count,
		stay: sum("goal_stay", 0), funnel1: sum("goal_funnel_1", 0), funnel: sum("goal_funnel", 0),
	}
}

func anyOthers() *rapid.Generator[[]model.Event] {
	return rapid.Custom(func(t *rapid.T) (all []model.Event) {
		for i := range rapid.IntRange(0, 30).Draw(t, "events") {
			at := noon.Add(time.Duration(rapid.IntRange(0, 120).Draw(t, "slot")) * 10 * time.Minute)
			at += model.Time(rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "ms"))
			id := rapid.SampledFrom([]string{"A", "z"}).Draw(t, "before or after the ids of views")
			all = append(all, custom(at, fmt.Sprintf("%s%02d", id, i),
				rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "visitor"),
				rapid.SampledFrom([]string{"Buy", "Buy", "Look"}).Draw(t, "name"),
				rapid.Int64Range(0, 1000).Draw(t, "cents")))
		}
		return all
	})
}

func inOrder(events ...[]model.Event) []model.Event {
	all := slices.Concat(events...)
	slices.SortStableFunc(all, func(a, b model.Event) int { return a.Compare(b.Order) })
	return all
}

func TestFolder_GoalsEqualARecountOfEachHour(t *testing.T) {
	k := kindWithGoals(t)
	rapid.Check(t, func(t *rapid.T) {
		views, others := anyViews().Draw(t, "views"), anyOthers().Draw(t, "others")
		all := inOrder(views, others)
		from, to := noon, noon.Add(24*time.Hour)
		together := map[model.Time]*rollup.Fold{}
		for _, f := range fold(k, all, 0, from, to) {
			together[f.Bucket.Start] = f.Fold
		}
		for hour := tier.Hour.BucketAt(from); hour.Start < to; hour = tier.Hour.BucketAt(hour.End) {
			want := recountGoals(views, others, hour)
			alone := fold(k, all, 0, hour.Start, hour.End)
			if len(alone) == 0 {
				if want != (met{}) {
					t.Fatalf("%s has no fold, want %+v", hour, want)
				}
				continue
			}
			if got := metBy(alone[0].Fold); got != want {
				t.Fatalf("%s\n got %+v\nwant %+v", hour, got, want)
			}
			if got := metBy(together[hour.Start]); got != want {
				t.Fatalf("%s folded with other hours\n got %+v\nwant %+v", hour, got, want)
			}
			if got, want := text(alone[0].Fold),
				text(fold(kind(t), views, 0, hour.Start, hour.End)[0].Fold); got != want {
				t.Fatalf("%s: events of goals change the sessions: %s, want %s", hour, got, want)
			}
		}
	})
}

func TestFolder_WithoutAMeasureOfAGoalSummarisesNoGoal(t *testing.T) {
	k := kindWithGoals(t)
	before := *k.Spec()
	before.Measures = slices.DeleteFunc(slices.Clone(before.Measures), func(m rollup.MeasureSpec) bool {
		return m.Name == "goal_x"
	})
	before.FieldsAt = noon
	f := sessions.New(k, series, 0, noon, noon.Add(time.Hour))
	f.FoldBy(func(tier.Bucket) *rollup.Spec { return &before })
	v := view(noon, "1", "a", "/x")
	f.Add(&v)
	got := f.Folds()[0]
	if _, has := got.Summary.Measure("goal_x"); has || metBy(got.Fold).funnel1 != 1 || got.FieldsAt != noon {
		t.Errorf("measures %v, fields of %s: want no goal_x, and the version of the fields", got.Summary.Names(),
			got.FieldsAt)
	}
}

// The row depends on the event: it is sealed before the event expires, and inexact if the event
// cannot be read.
func TestFolder_DependsOnTheEventsOfItsSessions(t *testing.T) {
	k := kindWithGoals(t)
	first := view(noon, "1", "a", "/")
	for name, c := range map[string]struct {
		at      model.Time
		depends bool
	}{
		"in the session":    {noon.Add(30 * time.Minute), true},
		"after the session": {noon.Add(31 * time.Minute), false},
		"before it":         {noon - 1, false},
	} {
		other := custom(c.at, "2", "a", "Buy", 1)
		other.ExpiresAt = 5
		if got := fold(k, inOrder([]model.Event{first, other}), 0, noon,
			noon.Add(time.Hour)); (got[0].ChildrenExpireAt == 5) != c.depends {
			t.Errorf("%s: the event expires at 5, the fold's first child at %d", name, got[0].ChildrenExpireAt)
		}
		other = model.Event{Series: other.Series, Order: other.Order, Unreadable: true}
		if got := fold(k, inOrder([]model.Event{first, other}), 0, noon,
			noon.Add(time.Hour)); got[0].Exact == c.depends || got[0].Unreadable != 0 {
			t.Errorf("%s: unreadable: exact %v, %d unreadable views", name, got[0].Exact, got[0].Unreadable)
		}
	}
}
