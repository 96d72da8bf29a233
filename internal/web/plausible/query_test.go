package plausible_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// What version 2 of the published schema of queries has, and which of it rollups serve. Each is tried with
// a metric that is served of it.
func TestServe_AcceptsOrRefusesWhatThePublishedSchemaHas(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	const accepted, refused = true, false
	for text, want := range map[string]bool{
		`metric visitors`: accepted, `metric visits`: accepted, `metric pageviews`: accepted, `metric views_per_visit`: accepted,
		`metric bounce_rate`: accepted, `metric visit_duration`: accepted, `metric events`: accepted, `metric scroll_depth`: accepted,
		`metric time_on_page`: accepted, `metric percentage`: accepted,
		`metric conversion_rate`: refused, `metric exit_rate`: refused,
		`metric group_conversion_rate`: refused, `metric total_revenue`: refused, `metric average_revenue`: refused,
		`visits time`: accepted, `visits time:hour`: accepted, `visits time:day`: accepted, `visits time:week`: accepted, `visits time:month`: accepted,
		`events event:name`: accepted, `pageviews event:page`: accepted, `pageviews event:hostname`: accepted, `visits event:goal`: accepted,
		`conversion_rate event:goal`: accepted, `total_revenue event:goal`: accepted, `average_revenue event:goal`: accepted,
		`group_conversion_rate event:goal`: accepted, `visitors event:goal`: accepted,
		`events event:props:plan`: accepted,
		`visits visit:source`:     accepted, `visits visit:referrer`: accepted, `visits visit:utm_source`: accepted, `visits visit:utm_medium`: accepted,
		`visits visit:utm_campaign`: accepted, `visits visit:utm_content`: accepted, `visits visit:utm_term`: accepted, `percentage visit:source`: accepted,
		`visits visit:screen`: accepted, `visits visit:device`: accepted, `visits visit:browser`: accepted, `visits visit:browser_version`: refused,
		`visits visit:os`: accepted, `visits visit:os_version`: refused, `visits visit:country`: accepted, `visits visit:region`: refused,
		`visits visit:city`: refused, `visits visit:country_name`: refused, `visits visit:region_name`: refused, `visits visit:city_name`: refused,
		`visits visit:entry_page`: accepted, `visits visit:exit_page`: accepted, `visits visit:entry_page_hostname`: refused, `visits visit:exit_page_hostname`: refused,
	} {
		metric, dimension, _ := strings.Cut(text, " ")
		query := fmt.Sprintf(`"metrics": [%q], "date_range": "7d", "dimensions": [%q]`, metric, dimension)
		if metric == "metric" {
			query, dimension = fmt.Sprintf(`"metrics": [%q], "date_range": "7d"`, dimension), ""
		}
		_, err := s.serve(`{"site_id": "x.org", ` + query + `}`)
		if (err == nil) != want || err != nil && !errors.Is(err, plausible.ErrRequest) {
			t.Errorf("%s: %v, want accepted %v", text, err, want)
		}
		if name := metric; err != nil && !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(),
			strings.TrimPrefix(text, "metric ")) && !strings.Contains(err.Error(), dimension) {
			t.Errorf("%s: %v, want it by name", text, err)
		}
	}
}

// Regions are a dimension if the configuration asks for them.
func TestServe_CountsRegionsOnRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	conf := config.Default(web.Kinds()...)
	conf.Collector.Regions = true
	var err error
	if s.kinds, err = conf.Catalog(); err != nil {
		t.Fatal(err)
	}
	for i, region := range []string{"DE-BY", "DE-BE", "DE-BY", "NO-03"} {
		fields := []string{"path", "/", "country", region[:2], "region", region}
		s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), fmt.Sprint(i), fields...)
	}
	// a visit has the region of its first view
	s.put("PAGEVIEW", at("2026-03-30T12:05:00Z"), "0", "path", "/", "country", "NO", "region", "NO-03")
	s.put("PAGEVIEW", at("2026-03-30T13:00:00Z"), "9", "path", "/", "country", "NO")
	s.want(`"metrics": ["visits", "percentage"], "date_range": "7d", "dimensions": ["visit:region"]`,
		`[["DE-BY"],[2,40]]`, `[["DE-BE"],[1,20]]`, `[["NO-03"],[1,20]]`)
	s.want(`"metrics": ["visits"], "date_range": "7d", "filters": [["matches", "visit:region", ["^DE-"]]]`,
		`[[],[3]]`)
	s.want(`"metrics": ["visits"], "date_range": "7d", "dimensions": ["time:day", "visit:region"], "filters": [["is", "visit:region", ["NO-03"]]]`,
		`[["2026-03-30","NO-03"],[1]]`)
}

func TestServe_FiltersWithoutADimensionAddUpTheValuesThatPass(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.put("PAGEVIEW", at("2026-03-31T08:00:00Z"), "d", "path", "/x") // a visit without a source
	for _, of := range []struct {
		visits int
		filter string
	}{
		{2, `["is", "visit:source", ["Google"]]`},
		{0, `["is", "visit:source", ["google"]]`},
		{2, `["is_not", "visit:source", ["Google"]]`},
		{3, `["contains", "visit:source", ["oog", "asto"]]`},
		{2, `["contains_not", "visit:source", ["oog"]]`},
		{0, `["contains", "visit:source", ["G.*e"]]`},
		{2, `["matches", "visit:source", ["^G.*e$"]]`},
		{1, `["matches_not", "visit:source", ["^G.*e$", "^Direct"]]`},
		{1, `["not", ["is", "visit:source", ["Google", "Mastodon"]]]`},
		{3, `["or", [["is", "visit:source", ["Google"]], ["is", "visit:source", ["Mastodon"]]]]`},
		{1, `["and", [["contains", "visit:source", ["to", "oo"]],
			["not", ["is", "visit:source", ["Google"]]]]]`},
		{0, `["and", [["is", "visit:source", ["Google"]], ["is", "visit:source", ["Mastodon"]]]]`},
		{2, `["is", "visit:source", ["Google"]], ["is", "visit:source", ["Mastodon", "Google"]]`},
		{2, `["or", [["and", [["is", "visit:source", ["Google"]]]],
			["not", ["contains", "visit:source", [""]]]]]`},
	} {
		percentage := 100 * min(1, of.visits) // all that pass
		s.want(`"metrics": ["visits", "percentage"], "date_range": "7d", "filters": [`+of.filter+`]`,
			fmt.Sprintf(`[[],[%d,%d]]`, of.visits, percentage))
	}
	s.want(`"metrics": ["pageviews"], "date_range": ["2026-03-30", "2026-03-31"], "dimensions": ["time:day"], "filters": [["matches", "event:page", ["^/(x|blog/.*)$"]]]`,
		`[["2026-03-30"],[1]]`, `[["2026-03-31"],[1]]`)
	s.want(`"metrics": ["visits", "conversion_rate"], "date_range": "7d", "filters": [["is", "event:goal", ["blog"]]]`, `[[],[1,25]]`)
	s.want(`"metrics": ["percentage", "visits"], "date_range": "7d", "dimensions": ["visit:source"]`,
		`[["Google"],[50,2]]`, `[["Direct / None"],[25,1]]`, `[["Mastodon"],[25,1]]`)
}

func TestServe_CountsCustomEventsWithAName(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.put("CUSTOMEVENT", at("2026-03-30T12:01:00Z"), "b", "name", "Sign up")
	s.put("CUSTOMEVENT", at("2026-03-30T12:02:00Z"), "b", "name", "Up?")
	// the report of the time on a page is no event
	s.want(`"metrics": ["events", "pageviews"], "date_range": "7d"`, `[[],[8,4]]`)
	s.want(`"metrics": ["events"], "date_range": "7d", "filters": [["is_not", "event:name", ["Buy", "pageview"]]]`, `[[],[2]]`)
	s.want(`"metrics": ["events"], "date_range": "7d", "filters": [["is", "event:name", ["View"]]]`, `[[],[0]]`)
}

// A property of a custom event is a dimension by its own name, wherever it is stored.
func TestServe_CountsPropertiesByTheirNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for i, fields := range [][]string{
		{"name", "Buy", "prop1", "Buy?plan=pro"},
		{"name", "Buy", "prop1", "Buy?coupon=x", "prop2", "Buy?plan=pro"},
		{"name", "Buy", "prop1", "Buy?plan=pro", "prop2", "Buy?coupon=x"}, // not in the order of names
		{"name", "Sign up", "prop1", "Sign up?plan=free=1"},
		{"name", "Sign up"}, {"duration", "1000"},
	} {
		s.put("CUSTOMEVENT", at("2026-03-30T12:00:00Z")+model.Time(i), "a", fields...)
	}
	const rest = `"metrics": ["events"], "date_range": ["2026-03-30", "2026-03-30"]`
	s.want(rest+`, "dimensions": ["event:props:plan"]`, `[["pro"],[3]]`, `[["(none)"],[1]]`,
		`[["free=1"],[1]]`)
	s.want(rest+`, "filters": [["is", "event:props:coupon", ["(none)"]]]`, `[[],[3]]`)
	s.want(rest+`, "filters": [["is", "event:props:other", ["x"]]]`, `[[],[0]]`)
	s.want(rest+`, "filters": [["is", "event:props:plan", ["pro"]], ["is", "event:props:coupon", ["x"]]]`,
		`[[],[2]]`)
}

// The names of values are those that dashboards of Plausible filter by.
func TestServe_NamesValuesAsPlausibleDoes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a",
		"device", "phone", "os", "macOS", "browser", "Edge", "utm_source", "News")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "b", "device", "desktop", "os", "Linux", "browser", "Chrome")
	const rest = `"metrics": ["visits", "percentage"], "date_range": ["2026-03-30", "2026-03-30"], `
	for dimension, want := range map[string][2]string{
		"visit:device": {"Desktop", "Mobile"}, "visit:os": {"GNU/Linux", "Mac"}, "visit:browser": {"Chrome", "Microsoft Edge"},
		"visit:utm_source": {"(not set)", "News"},
	} {
		s.want(rest+`"dimensions": ["`+dimension+`"]`, `[["`+want[0]+`"],[1,50]]`, `[["`+want[1]+`"],[1,50]]`)
		s.want(rest+`"filters": [["is", "`+dimension+`", ["`+want[0]+`"]]]`, `[[],[1,100]]`)
	}
	s.want(rest+`"dimensions": ["visit:source"]`, `[["Direct / None"],[2,100]]`)
	s.want(rest + `"dimensions": ["visit:country"]`)
}

func TestServe_FiltersIgnoreCaseOnRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/", "utm_source", "News")
	for filter, want := range map[string]string{
		`"is", "visit:utm_source", ["news"]`:                                     `[[],[0]]`,
		`"is", "visit:utm_source", ["news"], {"case_sensitive": true}`:           `[[],[0]]`,
		`"is", "visit:utm_source", ["x", "news"], {"case_sensitive": false}`:     `[[],[1]]`,
		`"contains", "visit:utm_source", ["x", "EW"], {"case_sensitive": false}`: `[[],[1]]`,
		`"is_not", "visit:utm_source", ["NEWS"], {"case_sensitive": false}`:      `[[],[0]]`,
	} {
		s.want(`"metrics": ["visits"], "date_range": ["2026-03-30", "2026-03-30"], "filters": [[`+filter+`]]`, want)
	}
}

func TestServe_PeriodsWithoutEventsAreNoRows(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.want(`"metrics": ["pageviews"], "date_range": "all", "dimensions": ["time:month"]`, `[["2026-03-01"],[4]]`)
	s.want(`"metrics": ["visitors"], "date_range": ["2026-03-28", "2026-03-30"], "dimensions": ["time:day"]`,
		`[["2026-03-29"],[1]]`, `[["2026-03-30"],[1]]`)
}

func TestServe_RangesUpToNow(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.put("PAGEVIEW", at("2026-04-01T09:56:00Z"), "d", "path", "/x")
	for name, want := range map[string]string{"realtime": `[[],[1]]`, "30m": `[[],[1]]`, "24h": `[[],[1]]`} {
		s.want(`"metrics": ["pageviews"], "date_range": "`+name+`"`, want)
	}
}

func TestServe_ReportsOfPagesAreAveragesOfAllViews(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.put("CUSTOMEVENT", at("2026-03-30T12:01:00Z"), "b", "duration", "90000", "depth", "40")
	s.put("CUSTOMEVENT", at("2026-03-30T12:02:00Z"), "b", "duration", "30000", "depth", "60")
	// 120 s and 100 % of four views
	s.want(`"metrics": ["time_on_page", "scroll_depth"], "date_range": "7d"`, `[[],[30,25]]`)
	s.want(`"metrics": ["time_on_page", "scroll_depth"], "date_range": ["2026-01-01", "2026-01-01"]`,
		`[[],[0,0]]`)
}

func TestServe_RevenueIsAnAmountOfTheGoal(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.want(`"metrics": ["total_revenue", "average_revenue", "visits"], "date_range": "7d", "dimensions": ["event:goal"]`,
		`[["buy"],[{"currency":"EUR","long":"EUR 10","short":"EUR 10","value":10},{"currency":"EUR","long":"EUR 10.00","short":"EUR 10.00","value":10},1]]`,
		`[["blog"],[null,null,1]]`)
	for _, order := range []string{"asc", "desc"} { // what has no value is behind the others
		s.want(`"metrics": ["average_revenue"], "date_range": "7d", "dimensions": ["event:goal"], `+
			`"order_by": [["average_revenue", "`+order+`"]]`,
			`[["buy"],[{"currency":"EUR","long":"EUR 10.00","short":"EUR 10.00","value":10}]]`,
			`[["blog"],[null]]`)
	}
}

func TestServe_CutsHoursAsTheClocksShowThem(t *testing.T) {
	t.Parallel()
	s := newSite(t, "Europe/Berlin")
	s.now = at("2026-10-25T20:00:00Z")
	for _, when := range []string{"2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z",
		"2026-10-25T02:00:00Z"} {
		s.put("PAGEVIEW", at(when), "a", "path", "/")
	}
	got := s.want(`"metrics": ["pageviews"], "date_range": ["2026-10-25", "2026-10-25"], "dimensions": ["time"], "filters": [], "order_by": [["pageviews", "desc"]], "pagination": {"limit": 3}, "include": {"time_labels": true, "total_rows": true}`,
		`[["2026-10-25 02:00:00"],[2]]`, `[["2026-10-25 01:00:00"],[1]]`, `[["2026-10-25 03:00:00"],[1]]`)
	labels, _ := got.Meta["time_labels"].([]string)
	if len(labels) != 24 || labels[2] != "2026-10-25 02:00:00" || labels[23] != "2026-10-25 23:00:00" ||
		got.Meta["total_rows"] != 3 {
		t.Errorf("%v rows, labels %v: want labels of 24, for 25 hours, and rows of 3", got.Meta["total_rows"],
			labels)
	}
	kolkata := newSite(t, "Asia/Kolkata")
	kolkata.put("PAGEVIEW", at("2026-03-31T08:29:59Z"), "a", "path", "/")
	kolkata.put("PAGEVIEW", at("2026-03-31T08:30:00Z"), "a", "path", "/")
	kolkata.want(`"metrics": ["pageviews"], "date_range": ["2026-03-31T13:30:00+05:30", "2026-03-31T14:59:59+05:30"], "dimensions": ["time:hour"]`,
		`[["2026-03-31 13:00:00"],[1]]`, `[["2026-03-31 14:00:00"],[1]]`)
}

// The last second of a range of times is in it.
func TestServe_ReadsRangesOfTimes(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for _, when := range []string{"2026-03-30T11:59:59.999Z", "2026-03-30T12:00:00Z", "2026-03-30T13:00:00.999Z",
		"2026-03-30T13:00:01Z"} {
		s.put("PAGEVIEW", at(when), "a", "path", "/")
	}
	got := s.want(`"metrics": ["pageviews"], "date_range": ["2026-03-30T14:00:00+02:00", "2026-03-30T15:00:00+02:00"]`, `[[],[2]]`)
	if want := `["2026-03-30T12:00:00Z","2026-03-30T13:00:01Z"]`; string(got.Query.DateRange) != want {
		t.Errorf("the range is %s, want %s", got.Query.DateRange, want)
	}
}

func TestServe_TheUnitOfTimeFollowsTheRange(t *testing.T) {
	t.Parallel()
	s := newSite(t, "America/New_York")
	for days, want := range map[string]int{`"2026-03-07", "2026-03-08"`: 47, `"2026-03-07", "2026-03-09"`: 3,
		`"2026-02-01", "2026-03-12"`: 40, `"2026-02-01", "2026-03-14"`: 7, `"2025-01-01", "2026-03-31"`: 15} {
		got, err := s.serve(`{"site_id": "x.org", "metrics": ["pageviews"], "date_range": [` + days +
			`], "dimensions": ["time"], "include": {"time_labels": true}}`)
		if err != nil {
			t.Fatal(err)
		}
		if labels := got.Meta["time_labels"].([]string); len(labels) != want {
			t.Errorf("%s: %d periods, want %d", days, len(labels), want)
		}
	}
}

func TestServe_ComparesWithThePeriodBefore(t *testing.T) {
	t.Parallel()
	s := shop(t, "Europe/Berlin")
	// the first hour of the 29th, of 23 hours
	s.put("PAGEVIEW", at("2026-03-28T23:30:00Z"), "a", "path", "/", "source", "Google")
	s.put("PAGEVIEW", at("2026-03-28T22:30:00Z"), "a", "path", "/", "source", "Google") // the 28th
	compared := func(rest string, want ...string) {
		t.Helper()
		got, err := s.serve(`{"site_id": "x.org", "include": {"comparisons": {"mode": "previous_period"}}, ` +
			rest + `}`)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for _, r := range got.Results {
			text, _ := json.Marshal([]any{r.Dimensions, r.Metrics, r.Comparison})
			rows = append(rows, string(text))
		}
		if !reflect.DeepEqual(rows, want) {
			t.Errorf("%s:\n got %s\nwant %s", rest, rows, want)
		}
	}
	compared(`"metrics": ["visits", "bounce_rate", "pageviews"], "date_range": ["2026-03-30", "2026-03-30"]`,
		`[[],[2,50,3],{"metrics":[1,100,1],"dimensions":[],"change":[100,-50,200]}]`)
	compared(`"metrics": ["pageviews"], "date_range": ["2026-03-30", "2026-03-31"], "dimensions": ["time:day"]`,
		`[["2026-03-30"],[3],{"metrics":[1],"dimensions":["2026-03-28"],"change":[200]}]`,
		`[["2026-03-31"],[1],{"metrics":[1],"dimensions":["2026-03-29"],"change":[0]}]`)
	compared(`"metrics": ["visits"], "date_range": ["2026-03-30", "2026-03-30"], "dimensions": ["visit:source"]`,
		`[["Google"],[1],{"metrics":[1],"dimensions":["Google"],"change":[0]}]`,
		`[["Mastodon"],[1],{"metrics":[0],"dimensions":["Mastodon"],"change":[100]}]`)
	compared(`"metrics": ["pageviews"], "date_range": ["2026-03-29T00:00:00+01:00", "2026-03-29T11:59:59+02:00"]`,
		`[[],[1],{"metrics":[1],"dimensions":[],"change":[0]}]`)
	compared(`"metrics": ["pageviews"], "date_range": ["2026-03-28", "2026-03-29"], "dimensions": ["time:week"]`,
		`[["2026-03-28"],[2],{"metrics":[0],"dimensions":["2026-03-26"],"change":[100]}]`)
	compared(`"metrics": ["pageviews"], "date_range": ["2026-03-29", "2026-03-30"], "dimensions": ["time:week"]`,
		`[["2026-03-29"],[1],{"metrics":[1],"dimensions":["2026-03-27"],"change":[0]}]`, `[["2026-03-30"],[3],null]`)
}

// JSON has a negative zero, which must not be shown.
func TestServe_ASmallLossIsNoChange(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for i := range 401 {
		day := "2026-03-2" + strconv.Itoa(i%2) // 201 on the 20th, 200 on the 21st
		s.put("PAGEVIEW", at(day+"T12:00:00Z")+model.Time(i), "a", "path", "/")
	}
	got, err := s.serve(`{"site_id": "x.org", "metrics": ["pageviews"], "date_range": ["2026-03-21", "2026-03-21"], "include": {"comparisons": {"mode": "previous_period"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(got.Results[0].Comparison); string(
		text) != `{"metrics":[201],"dimensions":[],"change":[0]}` {
		t.Errorf("got %s", text)
	}
}

// What other programs exported is in a figure only if the query asks for it.
func TestServe_IncludesImportsOnRequest(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	k, _ := s.kinds.Kind("PAGEVIEW")
	order := model.Order{At: at("2026-03-30T08:00:00Z"), ID: "imported"}
	e := model.Event{Series: k.Series("x.org", "imported", order), Order: order,
		Attrs: model.Attrs{{Name: "path", Value: model.TextValue("/old")}, {Name: "visitor", Value: model.TextValue("z")}}, ArrivedAt: order.At, ExpiresAt: k.Retention.EventExpiresAt(order.At)}
	if _, err := s.table.Put(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	const rest = `"metrics": ["pageviews", "visitors", "visits"], "date_range": "7d"`
	if got := s.want(rest, `[[],[4,3,3]]`); got.Meta["imports_included"] != false {
		t.Errorf("imports included: %v", got.Meta["imports_included"])
	}
	if got := s.want(rest+`, "include": {"imports": true}`,
		`[[],[5,4,4]]`); got.Meta["imports_included"] != true || len(got.Meta["warnings"].(map[string]string)) > 0 {
		t.Errorf("imports included: %v, warnings %v", got.Meta["imports_included"], got.Meta["warnings"])
	}
	days := catalog.Kind{Name: "IMPORTEDDAY", Path: "importeddays", Retention: k.Retention,
		Subject: catalog.SubjectType{Name: "IMPORTEDSITE", Path: "importedsites", Field: "siteId"}}
	kinds, err := catalog.New(append(slices.Clone(s.kinds.Kinds), days)...)
	if err != nil {
		t.Fatal(err)
	}
	s.kinds = kinds
	for imports, want := range map[string]string{"true": "(IMPORTEDDAY) are not in it", "false": ""} {
		got := s.want(rest+`, "include": {"imports": `+imports+`}`, map[string]string{
			"true": `[[],[5,4,4]]`, "false": `[[],[4,3,3]]`,
		}[imports])
		if text := got.Meta["warnings"].(map[string]string)["visits"]; !strings.Contains(text, want) ||
			want == "" && text != "" {
			t.Errorf("imports %s: warnings %q, want %q", imports, text, want)
		}
	}
}

// The hours of a range add up to it in any zone, and each filter and its negation to all.
func TestServe_PartsAddUp(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Australia/Lord_Howe", "Asia/Kathmandu", "America/New_York"} {
		s, draw := newSite(t, zone), rand.New(rand.NewPCG(3, 4))
		s.now = at("2026-04-07T12:00:00Z")
		for range 200 {
			s.put("PAGEVIEW", at("2026-04-03T00:00:00Z").Add(time.Duration(draw.IntN(3*86_400))*time.Second),
				fmt.Sprint(draw.IntN(20)), "path", fmt.Sprint("/", draw.IntN(9)))
		}
		sum := func(rest string) (n float64) {
			got, err := s.serve(`{"site_id": "x.org", "metrics": ["pageviews"], "date_range": "7d", ` + rest + `}`)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range got.Results {
				n += r.Metrics[0].Value
			}
			return n
		}
		if n := sum(`"dimensions": ["time:hour"]`); n != 200 {
			t.Errorf("%s: the hours have %v views, want 200", zone, n)
		}
		const filter = `["or", [["is", "event:page", ["/1", "/2"]], ["matches", "event:page", ["[5-7]$"]]]]`
		if in, out := sum(`"filters": [`+filter+`]`),
			sum(`"filters": [["not", `+filter+`]]`); in+out != 200 || in == 0 || out == 0 {
			t.Errorf("%s: %v views pass and %v do not, want 200 together", zone, in, out)
		}
	}
}

// failing is a table that cannot read rows of ranges that begin before a time.
type failing struct {
	*memory.Table
	before model.Time
}

var errRead = errors.New("the table cannot be read")

func (f failing) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if r.From < f.before {
		return rollup.RowPage{}, errRead
	}
	return f.Table.Rows(ctx, unit, r)
}

func TestServe_ReturnsErrorsOfTheTable(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	// of the earlier range, and of the range
	for _, before := range []string{"2026-03-20T00:00:00Z", "2026-03-31T00:00:00Z"} {
		q, err := plausible.Decode(
			[]byte(`{"site_id": "x.org", "metrics": ["visits"], "date_range": "7d", "dimensions": ["time:day"], "include": {"comparisons": {"mode": "previous_period"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		table := &query.Service{Store: failing{s.table, at(before)}, Now: func() model.Time { return s.now }}
		if _, err := plausible.Serve(t.Context(), table, s.kinds, q); !errors.Is(err, errRead) {
			t.Errorf("before %s: %v, want %v", before, err, errRead)
		}
	}
}
