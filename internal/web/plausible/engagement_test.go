package plausible_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The time on pages, and how far they were scrolled, by page and under filters: averages of page views, by
// the same rule as of all pages.
func TestServe_CountsEngagementFromReports(t *testing.T) {
	t.Parallel()
	for _, depth := range []string{"reached", "depth"} { // of Plausible's tracker, and of the own script
		s := newSite(t, "")
		view := func(clock, who, path, country string) {
			s.put("PAGEVIEW", at("2026-03-30T"+clock+"Z"), who, "path", path, "country", country)
		}
		report := func(clock, who, path, spent, scrolled string) {
			fields := []string{"path", path, "duration", spent, depth, scrolled}
			s.put("CUSTOMEVENT", at("2026-03-30T"+clock+"Z"), who, fields...)
		}
		view("10:00:00", "a", "/", "EE")
		report("10:04:00", "a", "/", "60000", "40")
		view("10:05:00", "a", "/a", "EE")
		report("10:09:00", "a", "/a", "120000", "80")
		view("10:00:00", "b", "/", "US")
		report("10:01:00", "b", "/", "30000", "60")
		view("10:00:00", "c", "/", "EE")
		view("10:01:00", "c", "/b", "EE")
		want := map[string]string{ // of reached
			`"metrics": ["time_on_page", "pageviews"], "dimensions": ["event:page"]`: "" +
				`[["/a"],[120,1]] [["/"],[30,3]] [["/b"],[null,1]]`,
			`"metrics": ["scroll_depth"], "dimensions": ["event:page"]`: "" +
				`[["/a"],[80]] [["/"],[50]] [["/b"],[null]]`,
			`"metrics": ["scroll_depth", "time_on_page"], "filters": [["is", "event:page", ["/"]]]`: "" +
				`[[],[50,30]]`,
			`"metrics": ["time_on_page"], "dimensions": ["visit:country"]`: `[["EE"],[45]] [["US"],[30]]`,
			`"metrics": ["time_on_page", "visitors", "visits"], "filters": [["is", "visit:country", ["EE"]], ` +
				`["is", "event:page", ["/"]]]`: `[[],[30,2,2]]`,
			`"metrics": ["time_on_page"]`: `[[],[42]]`, // of rollups
			`"metrics": ["time_on_page"], "filters": [["contains", "event:page", ["/"]]]`: `[[],[42]]`,
		}
		for query, rows := range want {
			if depth == "depth" { // shares of a view's height are added up, and divided by the views
				rows = strings.NewReplacer(`],[50`, `],[33`).Replace(rows)
			}
			const day = `"date_range": ["2026-03-30", "2026-03-30"], `
			got, err := s.serve(`{"site_id": "x.org", ` + day + query + `}`)
			if err != nil {
				t.Errorf("%s: %v", query, err)
				continue
			}
			var texts []string
			for _, r := range got.Results {
				text, _ := json.Marshal([]any{r.Dimensions, r.Metrics})
				texts = append(texts, string(text))
			}
			if text := strings.Join(texts, " "); text != rows {
				t.Errorf("%s of %s: got %s, want %s", query, depth, text, rows)
			}
		}
		_, err := s.serve(`{"site_id": "x.org", "date_range": "7d", "metrics": ["time_on_page"], ` +
			`"dimensions": ["event:page"], "filters": [["is", "event:props:plan", ["pro"]]]}`)
		if err == nil || !strings.Contains(err.Error(), `metric "time_on_page"`) {
			t.Errorf("by a property: %v, want a refusal that names the metric", err)
		}
	}
}
