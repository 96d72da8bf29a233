package plausible_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Two visitors of a page, of whom one buys, and one whose visit goes on after midnight.
func TestServe_CountsVisitorsOfAValueFromEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	for i, v := range []struct{ who, path, source string }{
		{"a", "/", "Google"}, {"a", "/", ""}, {"a", "/b", ""}, {"b", "/", ""}, {"c", "/b", "Google"},
	} {
		s.put("PAGEVIEW", at("2026-03-30T12:00:00Z")+model.Time(i), v.who, "path", v.path, "source", v.source)
	}
	s.put("CUSTOMEVENT", at("2026-03-30T12:20:00Z"), "a", "name", "Buy", "path", "/b", "prop1", "Buy?plan=pro")
	s.put("CUSTOMEVENT", at("2026-03-30T13:20:00Z"), "a", "name", "Buy", "path", "/b")
	s.put("CUSTOMEVENT", at("2026-03-30T12:20:00Z"), "a", "duration", "9000", "path", "/b")
	s.put("PAGEVIEW", at("2026-03-30T23:50:00Z"), "d", "path", "/late")
	s.put("PAGEVIEW", at("2026-03-31T00:10:00Z"), "d", "path", "/later")
	const day = `"date_range": ["2026-03-30", "2026-03-30"], `
	s.want(day+`"metrics": ["visitors", "pageviews", "visits", "bounce_rate"], "dimensions": ["event:page"]`,
		`[["/"],[2,3,2,50]]`, `[["/b"],[2,2,2,50]]`, `[["/late"],[1,1,1,0]]`)
	s.want(day+`"metrics": ["visitors", "visits"], "dimensions": ["visit:source"]`,
		`[["Direct / None"],[2,2]]`, `[["Google"],[2,2]]`)
	s.want(day+`"metrics": ["visitors"], `+
		`"filters": [["is", "event:page", ["/b"]], ["is", "visit:source", ["Google"]]]`,
		`[[],[2]]`)
	s.want(day+`"metrics": ["pageviews"], "dimensions": ["visit:source", "event:page"]`,
		`[["Google","/"],[2]]`, `[["Google","/b"],[2]]`,
		`[["Direct / None","/"],[1]]`, `[["Direct / None","/late"],[1]]`)
	s.want(day+`"metrics": ["visitors", "events"], "dimensions": ["event:goal"]`, `[["buy"],[1,2]]`)
	s.want(day+`"metrics": ["visits"], "dimensions": ["visit:source"], `+
		`"filters": [["is", "event:goal", ["buy"]]]`, `[["Google"],[1]]`)
	s.want(day+`"metrics": ["visitors"], "dimensions": ["event:props:plan"]`,
		`[["(none)"],[4]]`, `[["pro"],[1]]`)
	s.want(day+`"metrics": ["visitors"], "filters": [["or", [["is", "event:name", ["Buy"]], `+
		`["not", ["contains", "event:page", ["/"]]]]]]`, `[[],[1]]`)
	s.want(day+`"metrics": ["visitors"], "filters": [["is", "event:page", ["/none"]]]`, `[[],[0]]`)
	s.want(`"date_range": ["2026-03-30", "2026-03-31"], "metrics": ["visitors", "visits"], `+
		`"dimensions": ["time:day"], `+
		`"filters": [["contains", "event:page", ["late"]], ["is", "visit:exit_page", ["/later"]]]`,
		`[["2026-03-30"],[1,1]]`, `[["2026-03-31"],[1,0]]`)
}

// A visit has the source and entry page of its first view, however long before the range that is.
func TestServe_VisitsThatBeganLongBeforeTheRangeKeepTheirSource(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-30T22:31:00Z"), "a", "path", "/apart", "source", "Bing")
	for _, when := range []string{"30T23:01:00.001", "30T23:20:00", "30T23:50:00", "31T00:10:00"} {
		source, path := "", "/next"
		if when == "30T23:01:00.001" {
			source, path = "Google", "/first"
		}
		s.put("PAGEVIEW", at("2026-03-"+when+"Z"), "a", "path", path, "source", source)
	}
	const day = `"date_range": ["2026-03-31", "2026-03-31"], "metrics": ["pageviews", "visitors", "visits"], `
	s.want(day+`"dimensions": ["visit:source"]`, `[["Google"],[1,1,0]]`)
	s.want(day+`"filters": [["is", "visit:entry_page", ["/first"]], ["is", "event:page", ["/next"]]]`,
		`[[],[1,1,0]]`)
}

// A path in a filter is one page, however it is encoded.
func TestServe_FiltersNamePagesInAnyEncoding(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/café/x")
	for _, filter := range []string{
		`["is", "event:page", ["/caf%C3%A9/x"]]`, `["is", "event:page", ["/café/x"]]`,
		`["is", "event:page", ["/a/../caf%c3%a9/x"]]`, `["contains", "event:page", ["/caf%c3%a9/"]]`,
	} {
		s.want(`"date_range": ["2026-03-30", "2026-03-30"], "metrics": ["pageviews"], "filters": [`+filter+`]`,
			`[[],[1]]`)
	}
}

// Senders other than the collector write paths as they have them. A filter by the name in a row finds it.
func TestServe_FiltersFindPathsAsTheyWereSent(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/ü b")
	s.put("PAGEVIEW", at("2026-03-30T12:00:01Z"), "b", "path", "/x")
	const query = `"date_range": ["2026-03-30", "2026-03-30"], "metrics": ["pageviews"], ` +
		`"dimensions": ["event:page"], `
	for _, other := range []string{"", `, ["is_not", "visit:source", ["Google"]]`} { // from rollups, from events
		s.want(query+`"filters": [["is", "event:page", ["/ü b"]]`+other+`]`, `[["/ü b"],[1]]`)
		s.want(query+`"filters": [["contains", "event:page", ["/ü b"]]`+other+`]`, `[["/ü b"],[1]]`)
		s.want(query+`"filters": [["is_not", "event:page", ["/ü b"]]`+other+`]`, `[["/x"],[1]]`)
	}
}

// A filter understands the names of responses and the stored texts.
func TestServe_FiltersUnderstandStoredTexts(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/", "device", "phone")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "b", "path", "/", "device", "desktop")
	for _, name := range []string{"Mobile", "phone"} {
		s.want(`"date_range": ["2026-03-30", "2026-03-30"], "metrics": ["visitors"], `+
			`"filters": [["is", "visit:device", ["`+name+`"]]]`, `[[],[1]]`)
	}
}

// Days are of the zone that a query names, in place of the site's.
func TestServe_ReadsDaysOfTheZoneOfTheQuery(t *testing.T) {
	t.Parallel()
	s := newSite(t, "America/New_York")
	s.put("PAGEVIEW", at("2026-03-30T18:35:00Z"), "a", "path", "/") // 00:05 of the next day in Kolkata
	const days = `"date_range": ["2026-03-30", "2026-03-31"], "metrics": ["visits"], "dimensions": ["time:day"]`
	s.want(days, `[["2026-03-30"],[1]]`)
	s.want(days+`, "timezone": "Asia/Kolkata"`, `[["2026-03-31"],[1]]`)
	_, err := s.serve(`{"site_id": "x.org", ` + days + `, "timezone": "Mars/Phobos"}`)
	if !errors.Is(err, plausible.ErrRequest) {
		t.Errorf("an unknown zone: %v", err)
	}
}

// What is counted from events and what rollups have are the same figures.
func TestServe_EventsAndRollupsAgree(t *testing.T) {
	t.Parallel()
	for seed, zone := range []string{"UTC", "Asia/Kolkata", "America/New_York"} {
		s, draw := newSite(t, zone), rand.New(rand.NewPCG(7, uint64(seed)))
		for range 400 {
			when := at("2026-03-27T00:00:00Z").Add(time.Duration(draw.IntN(4*86_400)) * time.Second)
			who := fmt.Sprint(draw.IntN(40))
			if draw.IntN(4) == 0 {
				s.put("CUSTOMEVENT", when, who, "name", "Buy", "path", "/")
				continue
			}
			path, source := fmt.Sprint("/", draw.IntN(5)), fmt.Sprint("s", draw.IntN(3))
			s.put("PAGEVIEW", when, who, "path", path, "source", source)
		}
		// A filter by another dimension that all events pass is what rollups do not have.
		const all = `, "filters": [["contains", "event:page", ["/"]], ["contains", "event:name", [""]]]`
		for _, query := range []string{
			`"metrics": ["visitors", "pageviews", "events", "visits", "views_per_visit", "bounce_rate"]`,
			`"metrics": ["visit_duration"]`,
			`"metrics": ["visits", "bounce_rate"], "dimensions": ["time:day"]`,
			`"metrics": ["visits"], "dimensions": ["visit:source", "time:day"]`,
			`"metrics": ["visits"], "dimensions": ["visit:exit_page"]`,
			`"metrics": ["pageviews"], "dimensions": ["event:page"]`,
		} {
			query += `, "date_range": ["2026-03-28", "2026-03-29"]`
			rollups, err := s.serve(`{"site_id": "x.org", ` + query + `}`)
			if err != nil {
				t.Fatal(err)
			}
			events, err := s.serve(`{"site_id": "x.org", ` + query + all + `}`)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(events.Results), fmt.Sprint(rollups.Results); got != want {
				t.Errorf("%s, %s:\nevents  %s\nrollups %s", zone, query, got, want)
			}
		}
	}
}

// All events of a new site are stored, so a range from before it began is counted from them.
func TestServe_CountsAllOfASiteThatBeganAfterEventsExpired(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "a", "path", "/")
	const all = `{"site_id": "x.org", "date_range": "all", "metrics": ["visits"],
		"dimensions": ["event:page"]}`
	for first, refused := range map[string]bool{"2025-01-01T00:00:00Z": true, "2026-03-30T00:00:00Z": false} {
		entry := item.FromListedSeries(storage.ListedSeries{Series: s.view(0, "", "").Series.WithoutShard(),
			First: at(first), Last: s.now})
		if err := s.table.PutItem(t.Context(), entry); err != nil {
			t.Fatal(err)
		}
		if _, err := s.serve(all); errors.Is(err, plausible.ErrRequest) != refused {
			t.Errorf("a site since %s: %v, want a refusal %t", first, err, refused)
		}
	}
}

// entryless is a table of which no entry of the list of series can be read by its key.
type entryless struct{ *memory.Table }

func (e entryless) List(ctx context.Context, r itemop.ListRequest) (itemop.ListPage, error) {
	if r.From != "" && r.From == r.To {
		return itemop.ListPage{}, errRead
	}
	return e.Table.List(ctx, r)
}

// When a site began matters only to a range from before the events that are kept.
func TestServe_ReadsWhenASiteBeganForOldRangesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, "UTC")
	q, err := plausible.Decode([]byte(`{"site_id": "x.org", "date_range": "7d", "metrics": ["visits"],
		"dimensions": ["event:page"]}`))
	if err != nil {
		t.Fatal(err)
	}
	table := &query.Service{Store: entryless{s.table}, Now: func() model.Time { return s.now }}
	if _, err := plausible.Serve(t.Context(), table, s.kinds, q); err != nil {
		t.Error(err)
	}
}
