package plausible_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// report makes a report of the site: its name, and parameters.
func (s *site) report(target string) (string, error) {
	s.Helper()
	name, text, _ := strings.Cut(target, "?")
	params, err := url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
	if err != nil {
		s.Fatal(err)
	}
	if !params.Has("site_id") {
		params.Set("site_id", "x.org")
	}
	q, err := plausible.DecodeReport(name, params)
	if err != nil {
		return "", err
	}
	now := func() model.Time { return s.now }
	live := &query.Live{Store: s.table, Watermarks: s.table, Kind: query.CatalogKinds(s.kinds), Now: now}
	response, err := plausible.ServeReport(s.Context(), &query.Service{Store: live, Now: now}, s.kinds, q)
	if err != nil {
		return "", err
	}
	shown, err := json.Marshal(response)
	return string(shown), err
}

// blog has two visitors of 30 March, one of them from Google who buys, and one of two days before.
func blog(t *testing.T) *site {
	s := newSite(t, "")
	s.put("PAGEVIEW", at("2026-03-28T12:00:00Z"), "z", "path", "/")
	for i, v := range []struct{ who, path, source, country string }{
		{"a", "/", "Google", "DE"}, {"a", "/b", "", "DE"}, {"b", "/blog/x", "", "FR"},
	} {
		s.put("PAGEVIEW", at("2026-03-30T12:00:00Z")+model.Time(i*60_000), v.who,
			"path", v.path, "source", v.source, "country", v.country)
	}
	s.put("CUSTOMEVENT", at("2026-03-30T12:02:00Z"), "a",
		"name", "Buy", "path", "/b", "prop1", "Buy?plan=pro|plus")
	return s
}

// What the published reference of version 1 shows, with each parameter that it names.
func TestReport_ServesThePublishedRequests(t *testing.T) {
	t.Parallel()
	s := blog(t)
	for _, c := range []struct{ target, want string }{
		{"aggregate?period=day&date=2026-03-30&metrics=visitors,pageviews,bounce_rate,visit_duration",
			`{"results":{` +
				`"bounce_rate":{"value":50},"pageviews":{"value":3},"visit_duration":{"value":30},"visitors":{"value":2}}}`},
		{"aggregate?period=7d&date=2026-03-30", `{"results":{"visitors":{"value":3}}}`},
		{"aggregate?period=7d&date=2026-04-03", `{"results":{"visitors":{"value":3}}}`},
		{"aggregate?period=7d&date=2026-04-04", `{"results":{"visitors":{"value":2}}}`},
		{"aggregate?period=30d", `{"results":{"visitors":{"value":3}}}`},
		{"aggregate?period=month", `{"results":{"visitors":{"value":0}}}`},
		{"aggregate?period=month&date=2026-03-02", `{"results":{"visitors":{"value":3}}}`},
		{"aggregate?period=custom&date=2026-03-28,2026-03-29&metrics=visits,events",
			`{"results":{` +
				`"events":{"value":1},"visits":{"value":1}}}`},
		{"aggregate?period=day&date=2026-03-30&compare=previous_period",
			`{"results":{"visitors":{"change":100,"value":2}}}`},
		{"aggregate?period=day&date=2026-03-30&compare=previous_period&filters=event:page==/b",
			`{"results":{` +
				`"visitors":{"change":100,"value":1}}}`},
		{"aggregate?period=6mo&metrics=pageviews&filters=event:page==/b",
			`{"results":{"pageviews":{"value":1}}}`},
		{"timeseries?period=custom&date=2026-03-28,2026-03-30&metrics=visitors,visit_duration",
			`{"results":[` +
				`{"date":"2026-03-28","visit_duration":0,"visitors":1},` +
				`{"date":"2026-03-29","visit_duration":null,"visitors":0},` +
				`{"date":"2026-03-30","visit_duration":30,"visitors":2}]}`},
		{"timeseries?period=7d&interval=month&date=2026-04-01",
			`{"results":[` +
				`{"date":"2026-03-01","visitors":3},{"date":"2026-04-01","visitors":0}]}`},
		{"breakdown?period=7d&property=event:page&limit=2",
			`{"results":[` +
				`{"page":"/","visitors":2},{"page":"/b","visitors":1}]}`},
		{"breakdown?period=7d&property=event:page&limit=2&page=2",
			`{"results":[{"page":"/blog/x","visitors":1}]}`},
		{"breakdown?period=day&date=2026-03-30&property=visit:source&metrics=visitors,bounce_rate",
			`{"results":[` +
				`{"bounce_rate":100,"source":"Direct / None","visitors":1},{"bounce_rate":0,"source":"Google","visitors":1}]}`},
		{"breakdown?period=7d&property=event:props:plan&filters=event:goal==buy",
			`{"results":[` +
				`{"plan":"pro|plus","visitors":1}]}`},
		{`aggregate?period=7d&filters=event:props:plan==pro\|plus`,
			`{"results":{"visitors":{"value":1}}}`},
		{"aggregate?period=7d&filters=event:goal==buy;visit:country==DE",
			`{"results":{"visitors":{"value":1}}}`},
		{"aggregate?period=7d&filters=visit:country!=DE", `{"results":{"visitors":{"value":2}}}`},
		{"aggregate?period=7d&filters=visit:country==FR|DE",
			`{"results":{"visitors":{"value":2}}}`},
		{"aggregate?period=7d&filters=event:page==/b*", `{"results":{"visitors":{"value":2}}}`},
		{"aggregate?period=7d&filters=event:page!=/b*", `{"results":{"visitors":{"value":2}}}`},
		{`aggregate?period=7d&filters=[["contains","event:page",["blog"]]]`,
			`{"results":{"visitors":{"value":1}}}`},
		{"aggregate?period=7d&metrics=conversion_rate&filters=event:goal==buy",
			`{"results":{"conversion_rate":{"value":33.33}}}`},
		{"aggregate?period=day&date=2026-03-30&filters=event:hostname==none.example",
			`{"results":{"visitors":{"value":0}}}`},
		{"realtime/visitors", "0"},
	} {
		got, err := s.report(c.target)
		if err != nil || got != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.target, got, err, c.want)
		}
	}
	got, err := s.report("timeseries?period=day&date=2026-03-30")
	if err != nil || strings.Count(got, "date") != 24 ||
		!strings.Contains(got, `{"date":"2026-03-30 12:00:00","visitors":2}`) {
		t.Errorf("a day by hour: %s, %v", got, err)
	}
	got, err = s.report("timeseries?period=6mo")
	if err != nil || strings.Count(got, "date") != 6 ||
		!strings.Contains(got, `{"date":"2025-11-01","visitors":0}`) {
		t.Errorf("six months: %s, %v", got, err)
	}
}

// A report that is not served is refused by the name of what is wrong.
func TestReport_RefusesByName(t *testing.T) {
	t.Parallel()
	s := blog(t)
	for target, names := range map[string]string{
		"funnels":                                  "funnels",
		"aggregate?site_id=":                       "site_id",
		"aggregate?period=8d":                      "8d",
		"aggregate?date=yesterday":                 "yesterday",
		"aggregate?period=custom&date=2026-03-30":  "custom",
		"aggregate?metrics=visitors,visitors":      "visitors",
		"aggregate?metrics=bounces":                "bounces",
		"aggregate?metrics=exit_rate":              "exit_rate",
		"aggregate?compare=year_over_year":         "year_over_year",
		"aggregate?filter=event:page==/":           "filter",
		"aggregate?interval=day":                   "interval",
		"aggregate?filters=event:page=~/":          "event:page=~/",
		"aggregate?filters=[x]":                    "[x]",
		"aggregate?filters=page==/":                "page==/",
		"aggregate?filters=visit:city==4347778":    "visit:city",
		"timeseries?interval=minute":               "minute",
		"breakdown":                                "property",
		"breakdown?property=visit:os_version":      "visit:os_version",
		"breakdown?property=event:page&limit=1001": "limit",
		"breakdown?property=event:page&page=0":     "page",
		"realtime/visitors?period=day":             "period",
	} {
		got, err := s.report(target)
		if !errors.Is(err, plausible.ErrRequest) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %s, %v; want it refused by name", target, got, err)
		}
	}
}
