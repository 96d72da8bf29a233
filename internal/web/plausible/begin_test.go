package plausible_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// serveBehind serves a query, with the state of the table stream as the table has it.
func (s *site) serveBehind(text string) *plausible.Result {
	s.Helper()
	q, err := plausible.Decode([]byte(`{"site_id": "x.org", ` + text + `}`))
	if err != nil {
		s.Fatal(err)
	}
	now := func() model.Time { return s.now }
	live := &query.Live{Store: s.table, Watermarks: s.table, Stream: s.table,
		Kind: query.CatalogKinds(s.kinds), Now: now}
	got, err := plausible.Serve(s.Context(), &query.Service{Store: live, Now: now}, s.kinds, q)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

// list puts an entry of page views into the list of series.
func (s *site) list(first string) {
	s.Helper()
	series := s.view(0, "", "").Series.WithoutShard()
	entry := item.FromListedSeries(storage.ListedSeries{Series: series, First: at(first), Last: s.now})
	if err := s.table.PutItem(s.Context(), entry); err != nil {
		s.Fatal(err)
	}
}

// Rollups lack what a table stream that stands has not delivered. Events are read as they are stored. Only
// the beginning of an old range comes from the list of series, which a gap before then may have left behind.
func TestServe_WhatIsCountedFromEventsLacksNoChanges(t *testing.T) {
	t.Parallel()
	const week, all = `"date_range": "7d", "metrics": `, `"date_range": "all", "metrics": `
	for query, want := range map[string]string{
		week + `["pageviews"]`:                                "changes since 2026-03-30T10:00:00.000Z",
		week + `["visitors"], "dimensions": ["event:page"]`:   "",
		all + `["pageviews"], "dimensions": ["visit:source"]`: "changes from 2026-01-01T00:00:00.000Z to",
	} {
		s := newSite(t, "UTC")
		s.put("PAGEVIEW", at("2026-03-31T12:00:00Z"), "a", "path", "/")
		s.list("2026-03-31T12:00:00Z")
		from := at("2026-01-01T00:00:00Z")
		for _, i := range []item.Item{
			item.FromStreamProgress(s.now.Add(-48 * time.Hour)),
			item.FromGap(storage.Gap{From: from, To: from.Add(time.Hour)}),
		} {
			if err := s.table.PutItem(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		got := s.serveBehind(query)
		text, _ := json.Marshal(got.Meta["warnings"])
		missing := strings.Contains(string(text), "may be missing")
		if !strings.Contains(string(text), want) || missing != (want != "") {
			t.Errorf("%s: warnings %s, want %q", query, text, want)
		}
		if _, has := got.Meta["processed_through"]; has && want == "" {
			t.Errorf("%s: %v, want no time of the table stream", query, got.Meta)
		}
	}
}

// All time begins with the site: by the list of series if events have expired, and by the oldest stored event
// if that is not processed yet.
func TestServe_AllTimeBeginsWithTheSite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ listed, stored, want string }{
		"listed":       {"2025-12-30T12:00:00Z", "2026-03-30T12:00:00Z", "2025-12-30"},
		"not yet":      {"", "2026-03-30T23:30:00Z", "2026-03-31"},
		"older stored": {"2026-03-31T12:00:00Z", "2026-03-29T12:00:00Z", "2026-03-29"},
		"no event":     {"", "", "2026-04-01"},
	} {
		s := newSite(t, "Europe/Berlin")
		if c.stored != "" {
			s.put("PAGEVIEW", at(c.stored), "a", "path", "/")
		}
		if c.listed != "" {
			s.list(c.listed)
		}
		got, err := s.serve(`{"site_id": "x.org", "date_range": "all", "metrics": ["pageviews"],
			"dimensions": ["time:day"], "include": {"time_labels": true}}`)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		labels, _ := got.Meta["time_labels"].([]string)
		ends := []string{labels[0], labels[len(labels)-1]}
		if !slices.Equal(ends, []string{c.want, "2026-04-01"}) {
			t.Errorf("%s: %s, want from %s", name, ends, c.want)
		}
	}
	s := newSite(t, "")
	s.list("2020-01-01T00:00:00Z")
	refused(t, s, `"date_range": "all", "dimensions": ["time:day"]`,
		"more than 400 days: ask for longer ones, or for a shorter range")
}
