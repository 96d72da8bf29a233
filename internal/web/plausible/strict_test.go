package plausible_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/web/plausible"
)

// Each of these was served, with a part of it left out: figures of all visitors in place of a filter's.
func TestServe_DropsNothingOfAQuery(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	const isRoot = `["is", "event:page", ["/"]]`
	for rest, want := range map[string]string{
		`"filters": [` + isRoot + `], "filters": []`:                          `"filters" is repeated`,
		`"filters": [` + isRoot + `], "Filters": []`:                          `"Filters" is repeated`,
		`"include": {"imports": true, "imports": false}`:                      `"imports" is repeated`,
		`"filters": [["and", [` + isRoot + `], ` + isRoot + `]]`:              `want ["and", [filters]]`,
		`"filters": [["or", [` + isRoot + `, ["is", "visit:os", ["x"]]], 7]]`: `want ["or", [filters]]`,
		`"filters": [["is", "event:page", ["/", null]]]`:                      "a list has null",
		`"filters": [["is", "event:page", ["/"], null]]`:                      "a list has null",
		`"filters": [["is", "event:page", ["/"], {"case_sensitive": null}]]`:  "a list has null",
	} {
		refused(t, s, `"date_range": "7d", `+rest, want)
	}
	refused(t, s, `"date_range": 7, "metrics": "visits"`, "metrics has the wrong type: string")
	for _, ends := range []string{
		`["1774828800", "1774828801"]`, `["9999-12-31", "9999-12-31"]`,
		`["2026-03-01", "2026-03-02T00:00:00Z"]`, `["2026-03-02T00:00:01Z", "2026-03-02T00:00:00Z"]`,
	} {
		refused(t, s, `"date_range": `+ends, "want realtime")
	}
}

// refused checks that a query of page views is refused, with a reason.
func refused(t *testing.T, s *site, rest, want string) {
	t.Helper()
	_, err := s.serve(`{"site_id": "x.org", "metrics": ["pageviews"], ` + rest + `}`)
	if !errors.Is(err, plausible.ErrRequest) || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want it refused with %s", rest, err, want)
	}
}

func TestDecodeReport_DropsNothing(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`["not",`, 60) + `["is","event:page",["/"]]` + strings.Repeat(`]`, 60)
	for name, value := range map[string]string{"with_imported": "True", "filters": "[" + deep + "]"} {
		params := url.Values{"site_id": {"x.org"}, name: {value}}
		if _, err := plausible.DecodeReport("aggregate", params); !errors.Is(err, plausible.ErrRequest) {
			t.Errorf("%s=%.60s: %v, want it refused", name, value, err)
		}
	}
}

// As in Plausible, it is the share of what passes the filters, from rollups and from events alike.
func TestServe_PercentageIsOfTheVisitsThatPass(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	sources := []string{"Google", "Google", "Bing", "", "Google"}
	for i, country := range []string{"DE", "DE", "DE", "DE", "FR"} {
		s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), string(rune('a'+i)), "path", "/", "source", sources[i],
			"country", country)
	}
	s.put("PAGEVIEW", at("2026-03-30T12:01:00Z"), "a", "path", "/2")
	const rest = `"metrics": ["visits", "percentage"], "date_range": "7d", `
	s.want(rest+`"dimensions": ["visit:source"], "filters": [["is", "visit:country", ["DE"]]]`,
		`[["Google"],[2,50]]`, `[["Bing"],[1,25]]`, `[["Direct / None"],[1,25]]`)
	s.want(rest+`"dimensions": ["visit:source"], "filters": [["is_not", "visit:source", ["Bing"]]]`,
		`[["Google"],[3,75]]`, `[["Direct / None"],[1,25]]`)
	s.want(rest+`"dimensions": ["event:page"]`, `[["/"],[5,100]]`, `[["/2"],[1,20]]`)
	const both = `"dimensions": ["visit:source", "visit:country"], `
	s.want(rest+both+`"filters": [["contains", "visit:source", ["oo"]]]`,
		`[["Google","DE"],[2,66.7]]`, `[["Google","FR"],[1,33.3]]`)
	s.want(rest+`"dimensions": ["time:day"]`, `[["2026-03-30"],[5,100]]`)
}

func TestServe_FiltersByWhatElseHappenedInAVisit(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/")
	s.put("PAGEVIEW", at("2026-03-30T12:01:00Z"), "a", "path", "/blog/1")
	s.put("CUSTOMEVENT", at("2026-03-30T12:02:00Z"), "a", "name", "Buy")
	s.put("PAGEVIEW", at("2026-03-30T14:00:00Z"), "a", "path", "/") // another visit
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "b", "path", "/")
	s.put("PAGEVIEW", at("2026-03-31T23:59:00Z"), "c", "path", "/") // in a range that ends before its event
	s.put("CUSTOMEVENT", at("2026-04-01T00:01:00Z"), "c", "name", "Buy")
	const rest = `"metrics": ["visits", "pageviews"], "date_range": "7d", "filters": `
	const buy = `["is", "event:goal", ["buy"]]`
	s.want(rest+`[["has_done", `+buy+`]]`, `[[],[1,2]]`)
	s.want(rest+`[["has_not_done", `+buy+`]]`, `[[],[3,3]]`)
	s.want(rest+`[["has_done", `+buy+`], ["is", "event:page", ["/"]]]`, `[[],[1,1]]`)
	s.want(rest+`[["not", ["has_done", ["and", [`+buy+`]]]]]`, `[[],[3,3]]`)
	s.want(rest+`[["has_done", ["is", "event:page", ["/blog/1"]]]], "dimensions": ["event:page"]`,
		`[["/"],[1,1]]`, `[["/blog/1"],[1,1]]`)
	s.now = at("2026-06-30T00:00:00Z")
	const old = `"date_range": ["2026-03-30", "2026-03-30"], "filters": `
	refused(t, s, old+`[["has_done", `+buy+`]]`, "complete since")
	refused(t, s, `"date_range": "7d", "filters": [["has_done", ["is", "event:goal", ["buz"]]]]`, "buy?")
	refused(t, s, `"date_range": "7d", "filters": [["has_done"]]`, "want [operator")
}
