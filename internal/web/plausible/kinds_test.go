package plausible_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The kinds of queries that Plausible's own tests of its Stats API have, on data of this test. Each row has
// what Plausible returns by the rules that it publishes. A row with differs has what Tidemark returns in its
// place, and is named in decision 37; refused is a part of the message.
var kindsOfQueries = []struct {
	name    string
	query   string
	want    string // rows as [[dimensions], [metrics]]
	differs string
	refused string
}{
	{
		name:  "one metric",
		query: `"metrics": ["pageviews"]`,
		want:  `[[],[9]]`,
	},
	{
		name:  "several metrics",
		query: `"metrics": ["visitors", "pageviews", "visits"]`,
		want:  `[[],[6,9,6]]`,
	},
	{
		name:  "all metrics of visits",
		query: `"metrics": ["visits", "views_per_visit", "bounce_rate", "visit_duration"]`,
		want:  `[[],[6,1.5,67,300]]`,
	},
	{
		name:  "by source",
		query: `"metrics": ["visitors"], "dimensions": ["visit:source"]`,
		want:  `[["Google"],[3]] [["Direct / None"],[2]] [["Twitter"],[1]]`,
	},
	{
		name:  "by referrer",
		query: `"metrics": ["visitors"], "dimensions": ["visit:referrer"]`,
		want:  `[["Direct / None"],[3]] [["google.com"],[2]] [["t.co"],[1]]`,
	},
	{
		name:  "by campaign",
		query: `"metrics": ["visitors"], "dimensions": ["visit:utm_campaign"]`,
		want:  `[["(not set)"],[4]] [["ads"],[2]]`,
	},
	{
		name:  "by country",
		query: `"metrics": ["visitors"], "dimensions": ["visit:country"]`,
		want:  `[["EE"],[4]] [["US"],[2]]`,
	},
	{
		name:  "by device",
		query: `"metrics": ["visitors"], "dimensions": ["visit:device"]`,
		want:  `[["Desktop"],[3]] [["Mobile"],[2]] [["(not set)"],[1]]`,
	},
	{
		name:  "by system",
		query: `"metrics": ["visitors"], "dimensions": ["visit:os"]`,
		want:  `[["Mac"],[3]] [["Android"],[2]] [["(not set)"],[1]]`,
	},
	{
		name:  "by browser",
		query: `"metrics": ["visitors"], "dimensions": ["visit:browser"]`,
		want:  `[["Chrome"],[4]] [["(not set)"],[1]] [["Microsoft Edge"],[1]]`,
	},
	{
		name:  "by two dimensions",
		query: `"metrics": ["visitors"], "dimensions": ["visit:os", "visit:browser"]`,
		want: `[["Android","Chrome"],[2]] [["Mac","Chrome"],[2]] [["(not set)","(not set)"],[1]] ` +
			`[["Mac","Microsoft Edge"],[1]]`,
	},
	{
		name: "in an order",
		query: `"metrics": ["visitors"], "dimensions": ["visit:country"], ` +
			`"order_by": [["visit:country", "desc"]]`,
		want: `[["US"],[2]] [["EE"],[4]]`,
	},
	{
		name: "a page of rows",
		query: `"metrics": ["visitors"], "dimensions": ["visit:source"], "pagination": {"limit": 1, ` +
			`"offset": 1}`,
		want: `[["Direct / None"],[2]]`,
	},
	{
		name:    "by version",
		query:   `"metrics": ["visitors"], "dimensions": ["visit:os_version"]`,
		refused: "visit:os_version",
	},
	{
		name:    "by city",
		query:   `"metrics": ["visitors"], "dimensions": ["visit:city"]`,
		refused: "visit:city",
	},
	{
		name:  "by page",
		query: `"metrics": ["visitors", "pageviews"], "dimensions": ["event:page"]`,
		want:  `[["/"],[4,4]] [["/en/a"],[2,2]] [["/en/b"],[2,2]] [["/pl/a"],[1,1]]`,
	},
	{
		name: "visits of a page",
		query: `"metrics": ["visits", "bounce_rate"], "dimensions": ["event:page"], ` +
			`"filters": [["is", "event:page", ["/en/a"]]]`,
		want: `[["/en/a"],[2,50]]`,
	},
	{
		name:  "by entry page",
		query: `"metrics": ["visitors", "visits"], "dimensions": ["visit:entry_page"]`,
		want:  `[["/"],[4,4]] [["/en/a"],[1,1]] [["/pl/a"],[1,1]]`,
	},
	{
		name:  "by exit page",
		query: `"metrics": ["visitors"], "dimensions": ["visit:exit_page"]`,
		want:  `[["/"],[2]] [["/en/b"],[2]] [["/en/a"],[1]] [["/pl/a"],[1]]`,
	},
	{
		name:  "by host",
		query: `"metrics": ["visitors"], "dimensions": ["event:hostname"]`,
		want:  `[["a.x.org"],[5]] [["b.x.org"],[1]]`,
	},
	{
		name:  "by event",
		query: `"metrics": ["visitors", "events"], "dimensions": ["event:name"]`,
		want:  `[["pageview"],[6,9]] [["Buy"],[2,3]] [["Signup"],[1,1]]`,
	},
	{
		name: "events of a page",
		query: `"metrics": ["visitors"], "dimensions": ["event:name"], "filters": [["matches", ` +
			`"event:page", ["^/$"]]]`,
		want: `[["pageview"],[4]] [["Buy"],[2]]`,
	},
	{
		name: "pages of an event",
		query: `"metrics": ["visitors"], "dimensions": ["event:page"], "filters": [["is", ` +
			`"event:name", ["Signup"]]]`,
		want: `[["/en/a"],[1]]`,
	},
	{
		name: "source of an event",
		query: `"metrics": ["visitors"], "dimensions": ["visit:source"], "filters": [["is", ` +
			`"event:name", ["Buy"]]]`,
		want: `[["Google"],[2]]`,
	},
	{
		name: "by property",
		query: `"metrics": ["visitors"], "dimensions": ["event:props:plan"], "filters": [["is", ` +
			`"event:name", ["Buy"]]]`,
		want: `[["pro"],[2]] [["(none)"],[1]]`,
	},
	{
		name:  "filter by property",
		query: `"metrics": ["events"], "filters": [["is", "event:props:plan", ["pro"]]]`,
		want:  `[[],[2]]`,
	},
	{
		name: "filter by a missing property",
		query: `"metrics": ["visitors"], "filters": [["is", "event:props:plan", ["(none)"]], ["is", ` +
			`"event:name", ["Buy"]]]`,
		want: `[[],[1]]`,
	},
	{
		name:  "by goal",
		query: `"metrics": ["visitors", "events"], "dimensions": ["event:goal"]`,
		want:  `[["buy"],[2,3]]`,
	},
	{
		name:  "conversion rate of a goal",
		query: `"metrics": ["conversion_rate"], "dimensions": ["event:goal"]`,
		want:  `[["buy"],[33.33]]`,
	},
	{
		name:  "all metrics of a goal",
		query: `"metrics": ["visitors", "events", "conversion_rate"], "dimensions": ["event:goal"]`,
		want:  `[["buy"],[2,3,33.33]]`,
	},
	{
		name: "conversion rates by source",
		query: `"metrics": ["visitors", "conversion_rate", "group_conversion_rate"], "dimensions": ` +
			`["visit:source"], "filters": [["is", "event:goal", ["buy"]]]`,
		want: `[["Google"],[2,33.33,66.67]]`,
	},
	{
		name: "conversion rates by goal and country",
		query: `"metrics": ["conversion_rate", "group_conversion_rate"], "dimensions": ["event:goal", ` +
			`"visit:country"]`,
		want: `[["buy","EE"],[33.33,50]]`,
	},
	{
		name: "conversion rate of the visits of a country",
		query: `"metrics": ["visitors", "conversion_rate"], "filters": [["is", "visit:country", ["EE"]], ` +
			`["is", "event:goal", ["buy"]]]`,
		want: `[[],[2,50]]`,
	},
	{
		name: "conversion rate by property",
		query: `"metrics": ["visitors", "conversion_rate"], "dimensions": ["event:props:plan"], ` +
			`"filters": [["is", "event:goal", ["buy"]]]`,
		want: `[["pro"],[2,33.33]] [["(none)"],[1,16.67]]`,
	},
	{
		name: "conversion rate of a goal with a property",
		query: `"metrics": ["visitors", "events", "conversion_rate"], "filters": [["is", "event:goal", ` +
			`["buy"]], ["is", "event:props:plan", ["pro"]]]`,
		want: `[[],[2,2,33.33]]`,
	},
	{
		name: "conversion rate of a goal or a country",
		query: `"metrics": ["visitors", "conversion_rate"], "filters": [["or", [["is", "visit:country", ` +
			`["EE"]], ["is", "event:goal", ["buy"]]]]]`,
		refused: "metric \"conversion_rate\"",
	},
	{
		name: "a dimension in a filter beside known ones",
		query: `"metrics": ["visitors"], "filters": [["is", "event:page", ["/"]], ["or", [["is", ` +
			`"visit:source", ["x"]], ["is", "visit:city_name", ["Tartu"]]]]]`,
		refused: `dimension "visit:city_name"`,
	},
	{
		name: "a goal that is not declared beside a property",
		query: `"metrics": ["visitors"], "dimensions": ["event:props:plan"], "filters": [["is", ` +
			`"event:goal", ["Buy"]]]`,
		refused: `no goal is named "Buy"`,
	},
	{
		name:  "share of all visits",
		query: `"metrics": ["visits", "percentage"], "dimensions": ["visit:country"]`,
		want:  `[["EE"],[4,66.7]] [["US"],[2,33.3]]`,
	},
	{
		name:  "is",
		query: `"metrics": ["visitors"], "filters": [["is", "event:page", ["/en/a", "/pl/a"]]]`,
		want:  `[[],[3]]`,
	},
	{
		name:  "is not",
		query: `"metrics": ["visitors"], "filters": [["is_not", "visit:source", ["Google"]]]`,
		want:  `[[],[3]]`,
	},
	{
		name:  "contains",
		query: `"metrics": ["pageviews"], "filters": [["contains", "event:page", ["/en/"]]]`,
		want:  `[[],[4]]`,
	},
	{
		name:  "contains not",
		query: `"metrics": ["pageviews"], "filters": [["contains_not", "event:page", ["/en/"]]]`,
		want:  `[[],[5]]`,
	},
	{
		name:  "matches",
		query: `"metrics": ["visitors"], "filters": [["matches", "visit:entry_page", ["^/(en|pl)/"]]]`,
		want:  `[[],[2]]`,
	},
	{
		name: "ignoring case",
		query: `"metrics": ["visitors"], "filters": [["is", ` +
			`"visit:source", ["google"], {"case_sensitive": false}]]`,
		want: `[[],[3]]`,
	},
	{
		name:  "direct",
		query: `"metrics": ["visitors"], "filters": [["is", "visit:source", ["Direct / None"]]]`,
		want:  `[[],[2]]`,
	},
	{
		name: "and",
		query: `"metrics": ["visitors"], "filters": [["and", [["is", "visit:country", ["EE"]], ["is", ` +
			`"visit:source", ["Google"]]]]]`,
		want: `[[],[2]]`,
	},
	{
		name: "or",
		query: `"metrics": ["visitors"], "filters": [["or", [["is", "visit:country", ["US"]], ["is", ` +
			`"event:page", ["/pl/a"]]]]]`,
		want: `[[],[2]]`,
	},
	{
		name:  "not",
		query: `"metrics": ["visitors"], "filters": [["not", ["is", "visit:country", ["US"]]]]`,
		want:  `[[],[4]]`,
	},
	{
		name: "contradicting filters",
		query: `"metrics": ["visitors"], "filters": [["is", "visit:country", ["US"]], ["is", ` +
			`"visit:country", ["EE"]]]`,
		want: `[[],[0]]`,
	},
	{
		name:  "did it",
		query: `"metrics": ["visitors"], "filters": [["has_done", ["is", "event:name", ["Signup"]]]]`,
		want:  `[[],[1]]`,
	},
	{
		name:  "by hour",
		query: `"metrics": ["visits"], "dimensions": ["time:hour"]`,
		want:  `[["2026-03-30 10:00:00"],[5]] [["2026-03-30 12:00:00"],[1]]`,
	},
	{
		name:  "by day",
		query: `"metrics": ["visitors"], "dimensions": ["time:day"]`,
		want:  `[["2026-03-30"],[6]]`,
	},
	{
		name:  "by day and source",
		query: `"metrics": ["visits"], "dimensions": ["time:day", "visit:source"]`,
		want: `[["2026-03-30","Google"],[3]] [["2026-03-30","Direct / None"],[2]] ` +
			`[["2026-03-30","Twitter"],[1]]`,
	},
	{
		name:  "labels of time",
		query: `"metrics": ["visits"], "dimensions": ["time:day"], "include": {"time_labels": true}`,
		want:  `[["2026-03-30"],[6]]`,
	},
	{
		name:    "a metric that is none",
		query:   `"metrics": ["visitor"]`,
		refused: "visitor",
	},
	{
		name:    "a dimension that is none",
		query:   `"metrics": ["visitors"], "dimensions": ["visit:badger"]`,
		refused: "visit:badger",
	},
	{
		name:    "a goal that is not declared",
		query:   `"metrics": ["visitors"], "filters": [["is", "event:goal", ["sgnup"]]]`,
		refused: "sgnup",
	},
	{
		name:    "an empty property",
		query:   `"metrics": ["visitors"], "dimensions": ["event:props:"]`,
		refused: "event:props:",
	},
	{
		name:    "bounce of a visit with an event",
		query:   `"metrics": ["bounce_rate"], "filters": [["is", "visit:source", ["Twitter"]]]`,
		want:    `[[],[0]]`,
		differs: `[[],[100]]`,
	},
}

func TestServe_KindsOfQueriesOfPlausiblesTests(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	view := func(clock, who, path, host string, fields ...string) {
		fields = append([]string{"path", path, "hostname", host}, fields...)
		s.put("PAGEVIEW", at("2026-03-30T"+clock+"Z"), who, fields...)
	}
	mac := []string{"country", "EE", "os", "macOS", "browser", "Chrome", "device", "desktop"}
	phone := []string{"country", "EE", "os", "Android", "browser", "Chrome", "device", "phone"}
	google := []string{"source", "Google", "referrer", "google.com"}
	view("10:00:00", "a", "/", "a.x.org", append(append(mac, google...), "utm_campaign", "ads")...)
	view("10:10:00", "a", "/en/a", "a.x.org", mac...)
	view("10:15:00", "a", "/en/b", "a.x.org", mac...)
	view("10:00:00", "b", "/", "a.x.org", append(append(mac, "source", "Google"), "utm_campaign", "ads")...)
	view("10:15:00", "b", "/en/b", "a.x.org", mac...)
	view("10:20:00", "c", "/en/a", "a.x.org", append(phone, "source", "Twitter", "referrer", "t.co")...)
	view("10:30:00", "d", "/", "a.x.org", phone...)
	edge := []string{"country", "US", "os", "macOS", "browser", "Edge", "device", "desktop"}
	view("10:40:00", "e", "/", "a.x.org", append(edge, google...)...)
	view("12:00:00", "f", "/pl/a", "b.x.org", "country", "US")
	buy := func(clock, who string, fields ...string) {
		fields = append([]string{"name", "Buy", "path", "/"}, fields...)
		s.put("CUSTOMEVENT", at("2026-03-30T"+clock+"Z"), who, fields...)
	}
	buy("10:01:00", "a", "prop1", "Buy?plan=pro")
	buy("10:02:00", "a")
	buy("10:03:00", "b", "prop1", "Buy?plan=pro")
	s.put("CUSTOMEVENT", at("2026-03-30T10:21:00Z"), "c", "name", "Signup", "path", "/en/a")
	for _, row := range kindsOfQueries {
		const day = `"date_range": ["2026-03-30", "2026-03-30"], `
		got, err := s.serve(`{"site_id": "x.org", ` + day + row.query + `}`)
		switch {
		case row.refused != "":
			if err == nil || !strings.Contains(err.Error(), row.refused) {
				t.Errorf("%s: %v, want a refusal that names %s", row.name, err, row.refused)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		var rows []string
		for _, r := range got.Results {
			text, _ := json.Marshal([]any{r.Dimensions, r.Metrics})
			rows = append(rows, string(text))
		}
		want := row.want
		if row.differs != "" {
			want = row.differs
		}
		if text := strings.Join(rows, " "); text != want {
			t.Errorf("%s:\ngot  %s\nwant %s", row.name, text, want)
		}
	}
}
