package plausible_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// storeRows stores the rows of all tiers of some page views, as a fold of them.
func (s *site) storeRows(events ...model.Event) {
	s.Helper()
	kind, _ := s.kinds.Kind(events[0].Series.Kind)
	for level, t := range kind.Retention.Tiers {
		folds := map[model.Time]*rollup.Fold{}
		for i := range events {
			start := t.Unit.BucketAt(events[i].At).Start
			if folds[start] == nil {
				folds[start] = rollup.NewFold(kind.Spec())
			}
			folds[start].AddEvent(&events[i])
		}
		for start, fold := range folds {
			row := rollup.Row{Key: rollup.Key{Series: events[0].Series.WithoutShard(), Tier: t.Unit.String(),
				Start: start}, Fold: *fold, Rev: rollup.Rev{byte(level + 1)}, WrittenAt: s.now, V: 1}
			if _, err := s.table.PutRow(s.Context(), &row, rollup.Rev{}); err != nil {
				s.Fatal(err)
			}
		}
	}
}

func (s *site) view(when model.Time, id, path string) model.Event {
	kind, _ := s.kinds.Kind("PAGEVIEW")
	order := model.Order{At: when, ID: id}
	return model.Event{Series: kind.Series("x.org", "", order), Order: order, Attrs: model.Attrs{{Name: "path",
		Value: model.TextValue(path)}, {Name: "visitor", Value: model.TextValue(id)}}}
}

// serveStored serves a query from the rows as they are stored.
func (s *site) serveStored(text string) (*plausible.Result, error) {
	q, err := plausible.Decode([]byte(`{"site_id": "x.org", ` + text + `}`))
	if err != nil {
		s.Fatal(err)
	}
	return plausible.Serve(s.Context(), &query.Service{Store: s.table, Now: func() model.Time { return s.now }},
		s.kinds, q)
}

func TestServe_CountsHistoryThatWasImportedToday(t *testing.T) {
	t.Parallel()
	s := newSite(t, "Europe/Berlin")
	var old []model.Event
	for day := range 5 {
		e := s.view(at("2018-11-01T10:00:00Z").Add(time.Duration(day)*tier.Day24), fmt.Sprint(day), "/")
		if _, err := s.table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		old = append(old, e)
	}
	s.storeRows(old...)
	for query, want := range map[string]string{
		`"metrics": ["pageviews"], "date_range": ["2018-11-01", "2018-11-05"]`:                                                     `[[5]]`,
		`"metrics": ["pageviews"], "date_range": ["2018-11-02", "2018-11-03"], "dimensions": ["time:day"]`:                         `[[1] [1]]`,
		`"metrics": ["pageviews"], "date_range": ["2018-11-01T11:30:00+01:00", "2018-11-01T12:30:00+01:00"]`:                       `[[0]]`,
		`"metrics": ["pageviews"], "date_range": ["2018-11-01", "2018-11-05"], "filters": [["is", "event:page", ["/", "/other"]]]`: `[[5]]`,
	} {
		got, err := s.serveStored(query)
		if err != nil {
			t.Fatal(err)
		}
		if text := figures(got); text != want || len(got.Meta["warnings"].(map[string]string)) > 0 {
			t.Errorf("%s: %s, warnings %v, want %s", query, text, got.Meta["warnings"], want)
		}
	}
}

func figures(r *plausible.Result) string {
	all := [][]string{}
	for _, row := range r.Results {
		var texts []string
		for _, f := range row.Metrics {
			text, _ := json.Marshal(f)
			texts = append(texts, string(text))
		}
		all = append(all, texts)
	}
	return fmt.Sprint(all)
}

// A period whose rows have expired has no figure, and the warning names it.
func TestServe_APeriodThatIsNotKnownIsNull(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	e := s.view(at("2018-11-01T10:00:00Z"), "a", "/")
	s.storeRows(e, s.view(at("2018-11-20T10:00:00Z"), "b", "/"))
	day := rollup.Key{Series: e.Series.WithoutShard(), Tier: "day", Start: at("2018-11-20T00:00:00Z")}
	row, err := s.table.Row(t.Context(), day)
	if err != nil {
		t.Fatal(err)
	}
	old := row.Rev
	row.ExpiresAt, row.Rev = 1, rollup.Rev{9}
	if _, err := s.table.PutRow(t.Context(), row, old); err != nil {
		t.Fatal(err)
	}
	got, err := s.serveStored(
		`"metrics": ["pageviews"], "date_range": ["2018-11-01", "2018-11-02"], "dimensions": ["time:day"]`)
	if err != nil || figures(got) != `[[1] [null]]` {
		t.Errorf("%s, %v, want the day that is stored, and null", figures(got), err)
	}
	if text := fmt.Sprint(got.Meta["warnings"]); !strings.Contains(text,
		"not known from 2018-11-02T00:00:00.000Z to 2018-11-03T00:00:00.000Z") {
		t.Errorf("warnings %s", text)
	}
}

// Visits of a zone at half an hour are cut from page views, as views are.
func TestServe_VisitsOfAZoneAtHalfAnHourAreOfItsDays(t *testing.T) {
	t.Parallel()
	s := newSite(t, "Asia/Kolkata") // midnight is at 18:30 UTC
	for i, when := range []string{"10:00", "18:05", "18:10", "18:20", "18:35", "18:50"} {
		s.put("PAGEVIEW", at("2026-03-18T"+when+":00Z"), fmt.Sprint(i), "path", "/")
	}
	s.want(`"metrics": ["visits", "pageviews"], "date_range": ["2026-03-18", "2026-03-19"], "dimensions": ["time:day"]`,
		`[["2026-03-18"],[4,4]]`, `[["2026-03-19"],[2,2]]`)
	s.want(`"metrics": ["visits"], "date_range": ["2026-03-18T23:00:00+05:30", "2026-03-19T00:59:59+05:30"], "dimensions": ["time:hour"]`,
		`[["2026-03-18 23:00:00"],[3]]`, `[["2026-03-19 00:00:00"],[2]]`)
}

// A value that is not among those stored may have been counted or not: its figure is null, never 0.
func TestServe_AValueBeyondTheStoredTopIsNotZero(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	kind, _ := s.kinds.Kind("CUSTOMEVENT")
	var events []model.Event
	for i := range 120 {
		order := model.Order{At: at("2026-03-30T12:00:00Z"), ID: fmt.Sprint(i)}
		events = append(events, model.Event{Series: kind.Series("x.org", "", order), Order: order,
			Attrs: model.Attrs{{Name: "name", Value: model.TextValue(fmt.Sprintf("n%03d", i))}}})
	}
	s.storeRows(events...)
	const day = `"metrics": ["events"], "date_range": ["2026-03-30", "2026-03-30"], `
	for filter, want := range map[string]string{
		`["is", "event:name", ["n119"]]`:                                                  `[[null]]`,
		`["is", "event:name", ["n001"]]`:                                                  `[[1]]`,
		`["is_not", "event:name", ["n001"]]`:                                              `[[119]]`,
		`["is_not", "event:name", ["n119"]]`:                                              `[[null]]`,
		`["contains", "event:name", ["n"]]`:                                               `[[null]]`,
		`["not", ["is", "event:name", ["n001", "n002"]]]`:                                 `[[118]]`,
		`["and", [["is", "event:name", ["n001"]], ["contains", "event:name", ["n"]]]]`:    `[[1]]`,
		`["or", [["is_not", "event:name", ["n001"]], ["contains", "event:name", ["n"]]]]`: `[[120]]`,
	} {
		got, err := s.serveStored(day + `"filters": [` + filter + `]`)
		if err != nil {
			t.Fatal(err)
		}
		if text := figures(got); text != want {
			t.Errorf("%s: %s, want %s; warnings %v", filter, text, want, got.Meta["warnings"])
		}
	}
	for _, order := range []string{"asc", "desc"} {
		got, err := s.serveStored(day + `"order_by": [["events", "` + order + `"]], ` +
			`"dimensions": ["event:name"], "filters": [["is", "event:name", ["n001", "n119"]]]`)
		if err != nil || figures(got) != `[[1] [null]]` {
			t.Errorf("rows of two values %s, %v, want one of them null, the last one", figures(got), err)
		}
	}
}

// A row whose value is not known in the range before has no figure there, and no change.
func TestServe_AComparisonWithWhatIsNotKnownIsNull(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	var all []model.Event
	for i := range 240 {
		all = append(all, s.view(at("2018-11-02T12:00:00Z"), fmt.Sprint(i), fmt.Sprintf("/%03d", i)))
	}
	next := at("2018-11-03T12:00:00Z")
	all = append(all, s.view(next, "a", "/000"), s.view(next, "b", "/new"))
	s.storeRows(all...)
	const query = `"include": {"comparisons": {"mode": "previous_period"}}, "metrics": ["pageviews"], ` +
		`"date_range": ["2018-11-03", "2018-11-03"], "dimensions": ["event:page"]`
	compared := func() string {
		t.Helper()
		got, err := s.serveStored(query)
		if err != nil {
			t.Fatal(err)
		}
		var rows []any
		for _, r := range got.Results {
			rows = append(rows, r.Dimensions, r.Comparison.Metrics, r.Comparison.Change)
		}
		text, _ := json.Marshal(rows)
		return string(text)
	}
	// The day before has the most frequent pages alone: /new may be among the others.
	if got, want := compared(), `[["/000"],[1],[0],["/new"],[null],[null]]`; got != want {
		t.Errorf("beyond the stored top: %s, want %s", got, want)
	}
	key := rollup.Key{Series: all[0].Series.WithoutShard(), Tier: "day", Start: at("2018-11-02T00:00:00Z")}
	row, err := s.table.Row(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	old := row.Rev
	row.ExpiresAt = 1
	row.Rev = rollup.Rev{9}
	if _, err := s.table.PutRow(t.Context(), row, old); err != nil {
		t.Fatal(err)
	}
	if got, want := compared(), `[["/000"],[null],[null],["/new"],[null],[null]]`; got != want {
		t.Errorf("a day that has expired: %s, want %s", got, want)
	}
}

func TestServe_AnUnknownSiteIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	_, err := s.serveStored(`"metrics": ["visits"], "date_range": "7d"`)
	if !errors.Is(err, plausible.ErrRequest) ||
		!strings.Contains(err.Error(), `site_id "x.org": the table has no such site`) {
		t.Errorf("%v, want the site by name", err)
	}
	s = newSite(t, "UTC") // with a profile, and no event so far
	if got, err := s.serveStored(`"metrics": ["visits"], "date_range": "7d"`); err != nil ||
		figures(got) != `[[0]]` {
		t.Errorf("a new site: %v, want 0", err)
	}
}

// The list of series has a site when its first events are processed. Until then, its events are stored.
func TestServe_ASiteWhoseFirstEventsAreNotProcessedYetIsKnown(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", webfield.ImportedStream} {
		s := newSite(t, "")
		event := s.view(s.now.Add(-100*24*time.Hour), "1", "/")
		event.Series.Stream = stream
		if written, err := s.table.Put(t.Context(), event); err != nil || written.Result != storage.Written {
			t.Fatal(written.Result, err)
		}
		if _, err := s.serveStored(`"metrics": ["visits"], "date_range": "7d"`); err != nil {
			t.Errorf("stream %q: %v", stream, err)
		}
	}
}
