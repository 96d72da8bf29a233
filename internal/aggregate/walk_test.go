package aggregate_test

import (
	"math/rand/v2"
	"testing"
	"time"
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
