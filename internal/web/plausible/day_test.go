package plausible_test

import (
	"fmt"
	"testing"
	"time"
)

// A day on which clocks skip midnight begins when they show its date first, and a day before a date that a
// zone skipped ends with it: each view is in the day that its visitor's clock showed.
func TestServe_ReadsTheDaysOfZonesThatSkipMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, first, before, date, after string }{
		{"America/Santiago", "2024-09-08T04:00:00Z", "2024-09-07", "2024-09-08", "2024-09-09"},
		{"Africa/Cairo", "2024-04-25T22:00:00Z", "2024-04-25", "2024-04-26", "2024-04-27"},
		{"America/Havana", "2024-03-10T05:00:00Z", "2024-03-09", "2024-03-10", "2024-03-11"},
		{"Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-29", "2011-12-31", "2012-01-01"},
		{"Australia/Lord_Howe", "2024-10-05T13:30:00Z", "2024-10-05", "2024-10-06", "2024-10-07"},
		{"Asia/Kathmandu", "1985-12-31T18:30:00Z", "1985-12-31", "1986-01-01", "1986-01-02"},
	} {
		s := newSite(t, c.zone)
		first := at(c.first)
		s.now = first.Add(24 * time.Hour)
		s.put("PAGEVIEW", first-1, "a", "path", "/")
		s.put("PAGEVIEW", first, "b", "path", "/")
		s.put("PAGEVIEW", first.Add(22*time.Hour), "c", "path", "/")
		for date, want := range map[string]int{c.before: 1, c.date: 2, c.after: 0} {
			views := fmt.Sprintf(`"metrics": ["pageviews"], "date_range": [%q, %q]`, date, date)
			s.want(views, fmt.Sprintf(`[[],[%d]]`, want))
		}
	}
}
