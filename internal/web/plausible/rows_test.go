package plausible_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An average of 0 is a figure: its row is there with each list of metrics that has something to count.
func TestServe_AnAverageOfZeroIsARow(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/bounced", "source", "Google")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "b", "path", "/read", "source", "Bing")
	s.put("PAGEVIEW", at("2026-03-30T12:10:00Z"), "b", "path", "/read")
	const day = `"date_range": ["2026-03-30", "2026-03-30"], `
	s.want(day+`"metrics": ["bounce_rate"], "dimensions": ["visit:source"]`,
		`[["Google"],[100]]`, `[["Bing"],[0]]`)
	s.want(day+`"metrics": ["visit_duration"], "dimensions": ["event:page"]`,
		`[["/read"],[600]]`, `[["/bounced"],[0]]`)
	s.want(day+`"metrics": ["visit_duration"], "dimensions": ["time:hour", "visit:source"], `+
		`"filters": [["is_not", "event:page", ["/read"]]]`, `[["2026-03-30 12:00:00","Google"],[0]]`)
	s.want(day + `"metrics": ["bounce_rate"], "dimensions": ["event:page"], ` +
		`"filters": [["is", "visit:source", ["Yahoo"]]]`)
}

// A period that the range cuts is named as the whole one, as Plausible does; the first week is not.
func TestServe_NamesCutPeriodsByTheirBeginning(t *testing.T) {
	t.Parallel()
	s := newSite(t, "Asia/Kolkata")
	s.put("PAGEVIEW", at("2026-03-20T12:40:00Z"), "a", "path", "/") // 18:10 in Kolkata
	for unit, want := range map[string]string{
		"month": "2026-03-01", "week": "2026-03-18", "day": "2026-03-20", "hour": "2026-03-20 18:00:00",
	} {
		s.want(`"date_range": ["2026-03-18T18:05:00+05:30", "2026-03-20T18:30:00+05:30"], `+
			`"metrics": ["visitors"], "dimensions": ["time:`+unit+`"]`, `[["`+want+`"],[1]]`)
	}
}

func TestServe_RefusesWhatNamesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	const goals = `"filters": [["is", "event:goal", `
	for query, want := range map[string]string{
		`"dimensions": ["time:"]}`:                      `"time:"`,
		`"dimensions": ["visit:os", "visit:os"]}`:       "repeated",
		`"dimensions": ["visit:sorce"]}`:                "visit:source?",
		`"dimensions": ["time:dya"]}`:                   "time:day",
		`"dimensions": []} {}`:                          "behind the query",
		`"dimensions": []} x`:                           "behind the query",
		goals + `["buz"]]]}`:                            "buy?",
		goals + `["BUZ"], {"case_sensitive": false}]]}`: "BUZ",
	} {
		_, err := s.serve(`{"site_id": "x.org", "metrics": ["visits"], "date_range": "7d", ` + query)
		if !errors.Is(err, plausible.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it refused, and %s named", query, err, want)
		}
	}
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/blog/x")
	s.want(`"date_range": "7d", "metrics": ["visitors"], "filters": [["is", "event:goal", ["BLOG"], `+
		`{"case_sensitive": false}]]`, `[[],[1]]`)
	for _, days := range []string{"7dd", "+7d", "07d", "7om"} {
		_, err := s.serve(`{"site_id": "x.org", "metrics": ["visits"], "date_range": "` + days + `"}`)
		if !errors.Is(err, plausible.ErrRequest) || !strings.Contains(err.Error(), days) {
			t.Errorf("date_range %s: %v, want it refused and named", days, err)
		}
	}
}

// A view that meets two goals is in a row of each, with its own value of the other dimension.
func TestServe_ViewsThatMeetTwoGoalsAreRowsByAnotherDimension(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	sessions := web.Sessions
	path := func(p string) []goal.Step {
		return []goal.Step{{Of: "PAGEVIEW", Where: []goal.Match{{Field: "path", Pattern: p}}}}
	}
	sessions.Goals = []goal.Goal{{Name: "any", Steps: path("/**")}, {Name: "cart", Steps: path("/cart")}}
	var err error
	if s.kinds, err = catalog.New(web.PageViews, web.CustomEvents, sessions); err != nil {
		t.Fatal(err)
	}
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/cart")
	s.want(`"date_range": ["2026-03-30", "2026-03-30"], "metrics": ["pageviews"], `+
		`"dimensions": ["event:goal", "event:page"]`, `[["any","/cart"],[1]]`, `[["cart","/cart"],[1]]`)
}

// A funnel of the site does not keep queries from its other goals.
func TestServe_CountsGoalsBesideOneOfSeveralEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	sessions := web.Sessions
	path := func(p string) goal.Step {
		return goal.Step{Of: "PAGEVIEW", Where: []goal.Match{{Field: "path", Pattern: p}}}
	}
	sessions.Goals = []goal.Goal{{Name: "cart", Steps: []goal.Step{path("/cart")}},
		{Name: "checkout", Steps: []goal.Step{path("/cart"), path("/paid")}}}
	var err error
	if s.kinds, err = catalog.New(web.PageViews, web.CustomEvents, sessions); err != nil {
		t.Fatal(err)
	}
	for i, p := range []string{"/cart", "/paid"} {
		s.put("PAGEVIEW", at("2026-03-30T12:00:00Z")+model.Time(i), "a", "path", p)
	}
	const day = `"date_range": ["2026-03-30", "2026-03-30"], "metrics": ["visitors"]`
	s.want(day+`, "filters": [["is", "event:goal", ["cart"]]]`, `[[],[1]]`)
	s.want(day+`, "filters": [["is_not", "event:goal", ["cart"]]]`, `[[],[1]]`)
	for _, rest := range []string{
		`, "filters": [["is", "event:goal", ["checkout"]]]`,
		`, "filters": [["contains_not", "event:goal", ["c"]]]`,
		`, "dimensions": ["event:goal"]`,
	} {
		_, err := s.serve(`{"site_id": "x.org", ` + day + rest + `}`)
		if !errors.Is(err, plausible.ErrRequest) || !strings.Contains(err.Error(), "goal checkout") {
			t.Errorf("%s: %v, want it refused by the goal checkout", rest, err)
		}
	}
}

// Page views have properties, too: their count does not depend on the metrics that are asked beside it.
func TestServe_CountsPropertiesOfPageViewsWithAnyMetric(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/", "prop1", "pageview?author=me")
	s.put("CUSTOMEVENT", at("2026-03-30T12:01:00Z"), "a", "path", "/", "name", "Buy", "prop1", "Buy?plan=pro")
	const day = `"date_range": ["2026-03-30", "2026-03-30"], `
	for property, want := range map[string][]string{
		"author": {`[["(none)"],[1,1]]`, `[["me"],[1,1]]`}, "plan": {`[["(none)"],[1,1]]`, `[["pro"],[1,1]]`},
	} {
		dimension := `, "dimensions": ["event:props:` + property + `"]`
		s.want(day+`"metrics": ["events", "visitors"]`+dimension, want...)
		for i := range want {
			want[i] = strings.Replace(want[i], "[1,1]", "[1]", 1)
		}
		s.want(day+`"metrics": ["events"]`+dimension, want...)
	}
	s.now = at("2026-06-30T00:00:00Z") // the events have expired
	got := s.want(day+`"metrics": ["events"], "dimensions": ["event:props:author"]`, `[["(none)"],[1]]`)
	if warning := got.Meta["warnings"].(map[string]string)["events"]; warning == "" {
		t.Errorf("without events: no warning beside rows of %v", got.Results)
	}
}

// A wildcard of version 1 is of pages in any encoding.
func TestReport_WildcardsNamePagesInAnyEncoding(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/café/x")
	for filter, want := range map[string]string{
		"==/caf%25C3%25A9/*": "1", "==/café/**": "1", "!=/caf%25c3%25a9*": "0", "==/cafe*": "0",
	} {
		got, err := s.report("aggregate?period=7d&metrics=pageviews&filters=event:page" + filter)
		if want = `{"results":{"pageviews":{"value":` + want + `}}}`; err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", filter, got, err, want)
		}
	}
}

// A filter by a host is understood in Punycode, and one by a channel in Plausible's name for it.
func TestServe_FiltersUnderstandHostsAndChannels(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/", "referrer", "münchen.de",
		"source", "münchen.de", "hostname", "münchen.de", "channel", "AI Assistant")
	for _, filter := range []string{
		`["is", "visit:source", ["xn--mnchen-3ya.de"]]`, `["is", "visit:referrer", ["münchen.de"]]`,
		`["is", "event:hostname", ["xn--mnchen-3ya.de"]]`, `["is", "visit:channel", ["AI Assistants"]]`,
		`["is", "visit:channel", ["AI Assistant"]]`,
	} {
		s.want(`"date_range": "7d", "metrics": ["visitors"], "filters": [`+filter+`]`, `[[],[1]]`)
	}
}

// A period of which nothing passes the filters is no row, from events and from rollups.
func TestServe_APeriodWithoutWhatPassesIsNoRow(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	for day, path := range map[string]string{"29": "/a", "30": "/blog/x"} {
		s.put("PAGEVIEW", at("2026-03-"+day+"T12:00:00Z"), "v"+day, "path", path, "source", "Google")
	}
	const blog = `["is", "event:page", ["/blog/x"]]`
	for metrics, filters := range map[string]string{
		`"pageviews"`: blog, `"visits"`: `["is", "event:goal", ["blog"]]`,
		`"visitors"`: blog + `, ["is", "visit:source", ["Google"]]`,
	} {
		s.want(`"date_range": "7d", "dimensions": ["time:day"], "metrics": [`+metrics+`], "filters": [`+filters+`]`,
			`[["2026-03-30"],[1]]`)
	}
}

// 23 of 40 are 57.5 %, which is rounded up, from rollups and from events. Visitors beyond 256 are an
// estimate.
func TestServe_FiguresAreRoundedOnceAndSayWhenTheyAreEstimates(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for i := range 340 {
		when := at("2026-03-30T12:00:00Z") + model.Time(i)
		s.put("PAGEVIEW", when, fmt.Sprint(i), "path", "/", "source", "Google")
		if i%40 >= 23 {
			s.put("PAGEVIEW", when+1500, fmt.Sprint(i), "path", "/", "source", "Google")
		}
		if i == 39 {
			const figures = `"metrics": ["bounce_rate", "visitors"], `
			const day = figures + `"date_range": ["2026-03-30", "2026-03-30"]`
			s.want(day, `[[],[58,40]]`)
			s.want(day+`, "dimensions": ["visit:source"]`, `[["Google"],[58,40]]`)
		}
	}
	got, err := s.serve(`{"site_id": "x.org", "metrics": ["visitors", "pageviews"], "date_range": "7d"}`)
	if err != nil {
		t.Fatal(err)
	}
	warned := got.Meta["warnings"].(map[string]string)
	if n := got.Results[0].Metrics[0].Value; math.Abs(n-340) > 24 || // three standard errors
		!strings.Contains(warned["visitors"], "are estimated, with a standard error of 2.3 %") ||
		warned["pageviews"] != "" {
		t.Errorf("%v visitors of 340, warnings %v; want an estimate that says so", n, warned)
	}
}
