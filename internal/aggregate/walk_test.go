package aggregate_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A change of a day later is walked along the clicks of its visitor, so that every hour equals a
// recount.
func TestSessions_LateChangesRecomputeTheHoursOfTheirChain(t *testing.T) {
	for name, c := range map[string]struct {
		minutes []int  // of clicks after noon, appended in time
		late    int    // minute of the change
		page    string // "" deletes
	}{
		"a click that prolongs a session of hours before": {[]int{10, 35, 60, 85, 110}, 135, "/"},
		"a click before a session's first":                {[]int{70}, 50, "/"},
		"a click between two sessions":                    {[]int{40, 95, 120}, 67, "/"},
		"the first click is deleted":                      {[]int{50, 70}, 50, ""},
		"a click in the middle is deleted":                {[]int{10, 35, 60, 85, 110}, 60, ""},
		"the exit page is corrected":                      {[]int{50, 70, 90}, 90, "/other"},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
			for _, minute := range c.minutes {
				v.setNow(noon.Add(time.Duration(minute) * time.Minute))
				v.change(v.now(), "a", "/")
				v.processAll(v.queued)
				v.queued = nil
			}
			v.setNow(noon.Add(30 * time.Hour))
			v.sweep()
			v.change(noon.Add(time.Duration(c.late)*time.Minute), "a", c.page)
			if report := v.processAll(v.queued); report.Walks != 1 {
				t.Errorf("%d walks, want one", report.Walks)
			}
			for hour := range 4 {
				v.check(noon.Add(time.Duration(hour) * time.Hour))
			}
		})
	}
}

// A late change of an event of a goal recomputes the hour of the session that it is part of, and
// prolongs no session.
func TestSessions_LateEventsOfGoalsRecomputeTheHourOfTheirSession(t *testing.T) {
	at := func(minute int) func(*visits, string, int64) {
		return func(v *visits, who string, amount int64) {
			v.changeBuy(noon.Add(time.Duration(minute)*time.Minute), "0", who, amount)
		}
	}
	for name, c := range map[string]struct {
		before, late func(*visits)
		want         said // of the first hour
	}{
		"in the second hour":         {nil, func(v *visits) { at(100)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"a gap after the last click": {nil, func(v *visits) { at(125)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"later":                      {nil, func(v *visits) { at(126)(v, "a", 3) }, said{}},
		"with the first click":       {nil, func(v *visits) { at(50)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"before the first click":     {nil, func(v *visits) { at(49)(v, "a", 3) }, said{}},
		"of another visitor":         {nil, func(v *visits) { at(60)(v, "b", 3) }, said{}},
		"deleted":                    {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "a", 0) }, said{}},
		"with another value":         {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "a", 4) }, said{buy: 1, amount: 4}},
		"moved to the visitor":       {func(v *visits) { at(100)(v, "b", 3) }, func(v *visits) { at(100)(v, "a", 3) }, said{buy: 1, amount: 3}},
		"moved from the visitor":     {func(v *visits) { at(100)(v, "a", 3) }, func(v *visits) { at(100)(v, "b", 3) }, said{}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
			for _, minute := range []int{50, 70, 95} {
				v.setNow(noon.Add(time.Duration(minute) * time.Minute))
				v.change(v.now(), "a", "/")
			}
			if c.before != nil {
				c.before(v)
			}
			v.processAll(v.queued)
			v.queued = nil
			v.setNow(noon.Add(30 * time.Hour))
			v.sweepAll()
			c.late(v)
			if report := v.processAll(v.queued); report.Walks != 1 {
				t.Errorf("%d walks, want one", report.Walks)
			}
			for hour := range 4 {
				v.check(noon.Add(time.Duration(hour) * time.Hour))
			}
			got := saidBy(&v.row(tier.Hour, noon.String()).Fold)
			if c.want.begun, c.want.views, c.want.duration, c.want.stay = 1, 3, 2_700_000, 1; got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
