package plausible_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// site is a table with the events of a website.
type site struct {
	*testing.T
	table *memory.Table
	kinds *catalog.Catalog
	now   model.Time
	ids   int
}

func newSite(t *testing.T, zone string) *site {
	t.Helper()
	sessions := web.Sessions
	sessions.Goals = []goal.Goal{
		{Name: "buy", Steps: []goal.Step{{Of: "CUSTOMEVENT", Where: []goal.Match{{Field: "name", Pattern: "Buy"}}}}, Value: "revenue_EUR"},
		{Name: "blog", Steps: []goal.Step{{Of: "PAGEVIEW", Where: []goal.Match{{Field: "path", Pattern: "/blog/**"}}}}},
	}
	kinds, err := catalog.New(web.PageViews, web.CustomEvents, sessions)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{T: t, kinds: kinds, now: at("2026-04-01T10:00:00Z")}
	s.table = memory.New(func() model.Time { return s.now })
	if zone != "" {
		profile := model.Profile{Subject: model.Subject{Type: "SITE", ID: "x.org"},
			Attrs: model.Attrs{{Name: "timezone", Value: model.TextValue(zone)}}, CreatedAt: s.now}
		if err := s.table.PutItem(t.Context(), item.FromProfile(&profile)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func at(text string) model.Time {
	when, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return when
}

// put stores an event of a kind, with fields by name.
func (s *site) put(kind string, when model.Time, visitor string, fields ...string) {
	s.Helper()
	k, _ := s.kinds.Kind(kind)
	s.ids++
	order := model.Order{At: when, ID: fmt.Sprint(s.ids)}
	attrs := model.Attrs{{Name: "visitor", Value: model.TextValue(visitor)}}
	for i := 0; i < len(fields); i += 2 {
		value := model.TextValue(fields[i+1])
		numbers := []string{"duration", "depth", "reached"}
		if strings.HasPrefix(fields[i], "revenue_") || slices.Contains(numbers, fields[i]) {
			value = model.NumberValue(model.MustDecimal(fields[i+1]))
		}
		attrs = append(attrs, model.Attr{Name: fields[i], Value: value})
	}
	attrs.Sort()
	e := model.Event{Series: k.Series("x.org", "", order), Order: order, Attrs: attrs, ArrivedAt: when,
		ExpiresAt: k.Retention.EventExpiresAt(when)}
	if _, err := s.table.Put(s.Context(), e); err != nil {
		s.Fatal(err)
	}
}

func (s *site) serve(text string) (*plausible.Result, error) {
	s.Helper()
	q, err := plausible.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	now := func() model.Time { return s.now }
	live := &query.Live{Store: s.table, Watermarks: s.table, Kind: query.CatalogKinds(s.kinds), Now: now}
	return plausible.Serve(s.Context(), &query.Service{Store: live, Now: now}, s.kinds, q)
}

// want serves a query of the site, with the rest of its members, and compares the rows.
func (s *site) want(rest string, want ...string) *plausible.Result {
	s.Helper()
	got, err := s.serve(`{"site_id": "x.org", ` + rest + `}`)
	if err != nil {
		s.Errorf("%s: %v", rest, err)
		return &plausible.Result{}
	}
	var rows []string
	for _, r := range got.Results {
		text, _ := json.Marshal([]any{r.Dimensions, r.Metrics})
		rows = append(rows, string(text))
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		s.Errorf("%s (-want +got):\n%s", rest, diff)
	}
	return got
}

// shop has three visits: one of two views that buys for 9.95 and 0.05, and two of one view.
func shop(t *testing.T, zone string) *site {
	s := newSite(t, zone)
	s.put("PAGEVIEW", at("2026-03-29T22:30:00Z"), "a", "path", "/", "source", "Google")
	s.put("PAGEVIEW", at("2026-03-29T22:40:00Z"), "a", "path", "/cart", "source", "Google")
	s.put("CUSTOMEVENT", at("2026-03-29T22:41:00Z"), "a", "name", "Buy", "revenue_EUR", "9.95")
	s.put("CUSTOMEVENT", at("2026-03-29T22:42:00Z"), "a", "name", "Buy", "revenue_EUR", "0.05")
	s.put("CUSTOMEVENT", at("2026-03-29T22:42:30Z"), "a")
	s.put("PAGEVIEW", at("2026-03-30T12:00:00Z"), "b", "path", "/blog/x", "source", "Mastodon")
	s.put("PAGEVIEW", at("2026-03-31T09:00:00Z"), "c", "path", "/", "source", "Google")
	return s
}

func TestServe_FiguresOfAllVisitors(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.want(`"metrics": ["visitors", "visits", "pageviews", "views_per_visit", "bounce_rate", "visit_duration"], "date_range": "7d"`,
		`[[],[3,3,4,1.33,67,200]]`)
	got := s.want(`"metrics": ["visits", "bounce_rate"], "date_range": ["2026-01-01", "2026-01-31"]`,
		`[[],[0,0]]`)
	if text, _ := json.Marshal(got.Query); !strings.Contains(string(text), `"dimensions":[],"filters":[],`) {
		t.Errorf("the query is %s, want lists that clients can iterate over", text)
	}
}

func TestServe_CutsTheRangeInTheZoneOfTheSite(t *testing.T) {
	t.Parallel()
	const byDay = `"metrics": ["visits", "pageviews"], "date_range": ["2026-03-29", "2026-03-30"], "dimensions": ["time:day"]`
	shop(t, "").want(byDay, `[["2026-03-29"],[1,2]]`, `[["2026-03-30"],[1,1]]`)
	berlin := shop(t, "Europe/Berlin") // 22:30 UTC is 0:30 of the next day, after a day of 23 hours
	got := berlin.want(byDay, `[["2026-03-30"],[2,3]]`)
	if want := `["2026-03-29T00:00:00+01:00","2026-03-31T00:00:00+02:00"]`; string(got.Query.DateRange) != want {
		t.Errorf("the range is %s, want %s", got.Query.DateRange, want)
	}
	berlin.want(byDay+`, "order_by": [["pageviews", "desc"]], "pagination": {"limit": 1}`,
		`[["2026-03-30"],[2,3]]`)
	berlin.want(`"metrics": ["pageviews"], "date_range": "1mo", "dimensions": ["time:week"]`,
		`[["2026-03-30"],[4]]`)
}

func TestServe_GroupsByOneDimension(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.want(`"metrics": ["visits"], "date_range": "7d", "dimensions": ["visit:source"]`, `[["Google"],[2]]`,
		`[["Mastodon"],[1]]`)
	s.want(`"metrics": ["visits"], "date_range": "7d", "dimensions": ["visit:exit_page"], "order_by": [["visit:exit_page", "desc"]]`,
		`[["/cart"],[1]]`, `[["/blog/x"],[1]]`, `[["/"],[1]]`)
	s.want(`"metrics": ["pageviews"], "date_range": "7d", "dimensions": ["event:page"], "pagination": {"limit": 2, "offset": 1}`,
		`[["/blog/x"],[1]]`, `[["/cart"],[1]]`)
	s.want(`"metrics": ["events"], "date_range": "7d", "dimensions": ["event:name"]`, `[["pageview"],[4]]`,
		`[["Buy"],[2]]`)
	s.want(`"metrics": ["visits"], "date_range": "7d", "dimensions": ["visit:source"], "filters": [["is_not", "visit:source", ["Google"]]]`, `[["Mastodon"],[1]]`)
	s.want(`"metrics": ["visits"], "date_range": ["2026-03-30", "2026-03-31"], "dimensions": ["visit:source", "time:day"], "filters": [["is", "visit:source", ["Google", "Bing"]]]`,
		`[["Google","2026-03-31"],[1]]`)
	if got := s.want(`"metrics": ["visits"], "date_range": "7d", "dimensions": ["visit:source"], "pagination": {"offset": 9}`); got.Meta["total_rows"] != 2 {
		t.Errorf("total rows %v, want 2", got.Meta["total_rows"])
	}
}

func TestServe_GoalsHaveConversions(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.want(`"metrics": ["visits", "conversion_rate"], "date_range": "7d", "dimensions": ["event:goal"], "order_by": [["event:goal", "desc"]]`,
		`[["buy"],[1,33.33]]`, `[["blog"],[1,33.33]]`)
}

// What a figure lacks is said beside it.
func TestServe_WarnsOfFiguresThatAreNotWhole(t *testing.T) {
	t.Parallel()
	s := shop(t, "Asia/Kolkata") // half an hour off: hours of sessions cannot be cut there
	sessions, _ := s.kinds.Kind("SESSION")
	spec := *sessions.Spec()
	spec.Added = rollup.AddedFields{{Role: rollup.MeasureRole, Name: "goal_buy", Since: s.now,
		WholeFrom: at("2026-03-30T00:00:00Z")}}
	spec.FieldsAt = s.now - 1
	sessions.FoldBy(&spec)
	for rest, want := range map[string]string{
		`"metrics": ["visits"], "date_range": "7d"`:                                         `{"visits":"may lack`,
		`"metrics": ["pageviews"], "date_range": "7d"`:                                      `{}`,
		`"metrics": ["conversion_rate"], "date_range": "all", "dimensions": ["event:goal"]`: `{"conversion_rate":"may lack`,
	} {
		got, err := s.serve(`{"site_id": "x.org", ` + rest + `}`)
		if err != nil {
			t.Fatalf("%s: %v", rest, err)
		}
		if text, _ := json.Marshal(got.Meta["warnings"]); !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: warnings %s, want %s", rest, text, want)
		}
	}
}

// Metrics from the same rollups have the same warning.
func TestServe_WarnsBesideEachMetric(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	s.now += model.Time((40 * 24 * time.Hour).Milliseconds()) // days cannot be cut in Kolkata any more
	got, err := s.serve(`{"site_id": "x.org", "metrics": ["visits", "bounce_rate"], ` +
		`"timezone": "Asia/Kolkata", "date_range": ["2026-03-28", "2026-03-31"]}`)
	if err != nil {
		t.Fatal(err)
	}
	warnings, _ := got.Meta["warnings"].(map[string]string)
	if warnings["visits"] == "" || warnings["visits"] != warnings["bounce_rate"] {
		t.Errorf("warnings %v, want the same beside visits and bounce_rate", warnings)
	}
}

// A stored rollup has as many values of a dimension as its kind declares.
func TestServe_WarnsOfValuesThatAreNotStored(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	events, _ := s.kinds.Kind("CUSTOMEVENT")
	fold := rollup.NewFold(events.Spec())
	for i := range 120 {
		order := model.Order{At: at("2026-03-30T12:00:00Z"), ID: fmt.Sprint(i)}
		fold.AddEvent(&model.Event{Series: events.Series("x.org", "", order), Order: order,
			Attrs: model.Attrs{{Name: "name", Value: model.TextValue(order.ID)}}})
	}
	row := &rollup.Row{Key: rollup.Key{Series: events.Series("x.org", "", model.Order{}).WithoutShard(),
		Tier: "day", Start: at("2026-03-30T00:00:00Z")}, Fold: *fold, Rev: rollup.Rev{1}, WrittenAt: s.now}
	if _, err := s.table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
		t.Fatal(err)
	}
	q, err := plausible.Decode(
		[]byte(`{"site_id": "x.org", "metrics": ["events"], "date_range": ["2026-03-30", "2026-03-30"], "dimensions": ["event:name"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := plausible.Serve(t.Context(),
		&query.Service{Store: s.table, Now: func() model.Time { return s.now }}, s.kinds, q)
	if err != nil || len(got.Results) != 100 { // there are no page views
		t.Fatalf("%d rows, %v", len(got.Results), err)
	}
	if text, _ := json.Marshal(got.Meta["warnings"]); !strings.Contains(string(text),
		`{"events":"only the most frequent values are stored"}`) {
		t.Errorf("warnings %s", text)
	}
}

func TestServe_RefusesByNameWhatRollupsDoNotHave(t *testing.T) {
	t.Parallel()
	s := shop(t, "")
	all := map[string]string{ // of visits of 7d
		`"dimensions": ["visit:city"]`:                            `dimension "visit:city": want one of`,
		`"dimensions": ["time:day", "time:hour"]`:                 `dimension "time:hour"`,
		`"order_by": [["pageviews", "desc"]]`:                     `order_by ["pageviews" "desc"]`,
		`"order_by": [["visits", "down"]]`:                        `order_by ["visits" "down"]`,
		`"pagination": {"limit": 0}`:                              "pagination: want a limit from 1",
		`"dimensions": ["time:minute"]`:                           "want time, time:hour",
		`"filters": [["is", "visit:city", ["x"]]]`:                `dimension "visit:city"`,
		`"dimensions": ["event:pages"]`:                           "(did you mean event:page?)",
		`"filters": [["contains", "event:goal", ["b"]]]`:          `2 goals pass`,
		`"filters": [["matches", "visit:os", ["["]]]`:             "missing closing ]",
		`"filters": [["is", "visit:os", []]]`:                     "want is, contains or matches",
		`"filters": [["is", "visit:os", ["x"], {}, 1]]`:           "want is, contains or matches",
		`"filters": [["and", []]]`:                                `want ["and", [filters]]`,
		`"filters": [["or", [["is"]]]]`:                           `filter ["is"]: want [operator`,
		`"filters": [["not", ["is"]]]`:                            `filter ["is"]: want [operator`,
		`"filters": ["visit:os==x"]`:                              `filter "visit:os==x": want [operator`,
		`"include": {"time_labels": true}`:                        "needs a time dimension",
		`"include": {"comparisons": {"mode": "year_over_year"}}`:  `mode "year_over_year"`,
		`"filters": [["is", "visit:os", ["x"], {"case": false}]]`: "want is, contains or matches",
		`"include": {"dashboard": true}`:                          `unknown field "dashboard"`,
	}
	refusals := map[string]string{
		`"metrics": ["events"], "date_range": "40d", "dimensions": ["event:page"]`: "since 2026-03-02T",
		`"metrics": ["visits"], "date_range": "500d", "dimensions": ["time:day"]`:  "than 400 days",
		`"metrics": ["visits"], "date_range": "7days"`:                             `date_range "7days"`,
		`"metrics": ["visits"], "date_range": "0d"`:                                `date_range "0d"`,
		`"metrics": ["visits"], "date_range": "99999d"`:                            `date_range "99999d"`,
		`"metrics": ["visits"], "date_range": {"days": 7}`:                         `{"days": 7}`,
		`"metrics": ["visits"], "date_range": ["2026-03-02", "2026-03-01"]`:        "the earlier one first",
		`"metrics": ["visits"]`:                                                    "are required",
		`"metrics": ["exit_rate"], "date_range": "7d"`:                             `"exit_rate"`,
		`"metrics": ["visits"], "date_range": "30d", "dimensions": ["time:hour"]`:  "than 400 hours",
		`"metrics": ["visit"], "date_range": "7d"`:                                 "(did you mean visits?)",
	}
	for rest, want := range all {
		refusals[`"metrics": ["visits"], "date_range": "7d", `+rest] = want
	}
	for rest, want := range refusals {
		if _, err := s.serve(`{"site_id": "x.org", ` + rest + `}`); !errors.Is(err, plausible.ErrRequest) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", rest, err, want)
		}
	}
	wrong := newSite(t, "Berlin")
	if _, err := wrong.serve(`{"site_id": "x.org", "metrics": ["visits"], "date_range": "7d"}`); !errors.Is(err,
		plausible.ErrRequest) || !strings.Contains(err.Error(), "the profile of SITE/x.org has timezone") {
		t.Errorf("a profile with another zone: %v", err)
	}
	kinds, _ := catalog.New(web.PageViews)
	s.kinds = kinds
	if _, err := s.serve(`{"site_id": "x.org", "metrics": ["visits"], "date_range": "7d"}`); !errors.Is(err,
		plausible.ErrRequest) || !strings.Contains(err.Error(), "no kind SESSION") {
		t.Errorf("a table without sessions: %v", err)
	}
}

func TestServe_NamedRanges(t *testing.T) {
	t.Parallel()
	s := newSite(t, "America/New_York")
	s.now = at("2026-03-15T03:00:00Z") // still the 14th there, and summer time since the 8th
	for name, want := range map[string]string{
		`"day"`: "2026-03-14T00:00:00-04:00", `"28d"`: "2026-02-14T00:00:00-05:00 2026-03-14T00:00:00-04:00", `"7d"`: "2026-03-07T00:00:00-05:00 2026-03-14T00:00:00-04:00",
		`"month"`: "2026-03-01T00:00:00-05:00", `"6mo"`: "2025-09-01T00:00:00-04:00 2026-03-01T00:00:00-05:00", `"year"`: "2026-01-01T00:00:00-05:00", `"all"`: "2000-01-01T00:00:00-05:00",
	} {
		got := s.want(`"metrics": ["pageviews"], "date_range": `+name, `[[],[0]]`)
		from, to, ended := strings.Cut(want, " ")
		if !ended {
			to = "2026-03-15T00:00:00-04:00" // the end of today
		}
		if want = `["` + from + `","` + to + `"]`; string(got.Query.DateRange) != want {
			t.Errorf("%s is %s, want %s", name, got.Query.DateRange, want)
		}
	}
}

// Whatever the zone, the days of a range add up to the range, and equal a recount.
func TestServe_DaysEqualARecount(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		s, draw := newSite(t, name), rand.New(rand.NewPCG(1, 2))
		days := map[string]float64{}
		visitors := map[string]map[string]bool{}
		total := 0.0
		for range 300 {
			when := at("2026-03-27T00:00:00Z").Add(time.Duration(draw.IntN(4*86_400)) * time.Second)
			day, who := when.Time().In(zone).Format(time.DateOnly), fmt.Sprint(draw.IntN(40))
			s.put("PAGEVIEW", when, who, "path", "/")
			if visitors[day] == nil {
				visitors[day] = map[string]bool{}
			}
			visitors[day][who] = true
			days[day]++
			total++
		}
		got, err := s.serve(`{"site_id": "x.org", "metrics": ["pageviews", "visitors"], "date_range": "7d", "dimensions": ["time:day"]}`)
		if err != nil || len(got.Results) != len(days) {
			t.Fatalf("%s: %d days, %v", name, len(got.Results), err)
		}
		for _, r := range got.Results {
			day := r.Dimensions[0]
			if r.Metrics[0].Value != days[day] || r.Metrics[1].Value != float64(len(visitors[day])) {
				t.Errorf("%s %s: %v, want %v views of %d visitors", name, day, r.Metrics, days[day], len(visitors[day]))
			}
			total -= r.Metrics[0].Value
		}
		if total != 0 {
			t.Errorf("%s: %v views are in no day", name, total)
		}
	}
}
