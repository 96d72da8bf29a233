package promapi_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// newGroup returns an API with a group that has an event in each hour from a time until 14:00, on a clock.
func newGroup(t *testing.T, from model.Time, clock func() model.Time) *promapi.API {
	t.Helper()
	kind := iot.Readings
	kind.Groups = []string{"location"}
	kind.Retention.Raw = 30 * tier.Day24
	kind.Retention.Tiers = []tier.Tier{
		{Unit: tier.Hour, Retention: 90 * tier.Day24, Deferred: true, Grace: 10 * time.Minute}}
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	group := &kinds.Kinds[1]
	table := memory.New(clock)
	series := group.Series("hall", "", model.Order{})
	for hour := from; hour < at("2026-04-20T14:00:00Z"); hour = hour.Add(time.Hour) {
		row := &rollup.Row{Key: rollup.Key{Series: series, Tier: "hour", Start: hour},
			Fold: *rollup.NewFold(group.Spec()), Rev: rollup.Rev{1}, WrittenAt: clock()}
		row.AddEvent(&model.Event{Series: series, Order: model.Order{At: hour},
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(20))}}})
		row.Exact = true
		if _, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
			t.Fatal(err)
		}
	}
	listed := storage.ListedSeries{Series: series, First: from, Last: clock()}
	if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &promapi.API{Catalog: kinds, Query: &query.Service{Store: table, Now: clock}, Log: log,
		Engine: promapi.NewEngine(log, time.Minute), Limits: config.Default().Limits}
}

// The hour of a group closes minutes after its end. Until then it has no sample, and the series has not
// ended: an alert rule with absent() must not fire each hour.
func TestQuery_AGroupDoesNotEndWhileItsHourCloses(t *testing.T) {
	clock := at("2026-04-20T14:02:00Z")
	a := newGroup(t, at("2026-04-20T10:00:00Z"), func() model.Time { return clock })
	count := func(query, when string) int {
		t.Helper()
		status, body := call(t, a, "GET", "query", url.Values{"query": {query}, "time": {when}}.Encode(), "")
		data, _ := body["data"].(map[string]any)
		result, ok := data["result"].([]any)
		if status != 200 || !ok {
			t.Fatalf("%s: %d %v", query, status, body)
		}
		return len(result)
	}
	const events = `tidemark_events{kind="READING_BY_LOCATION"}`
	if n := count(events, "2026-04-20T13:30:00Z"); n != 1 {
		t.Fatalf("%d series while the next hour is open, want 1", n)
	}
	if n := count(events, "2026-04-20T14:02:00Z"); n != 1 {
		t.Errorf("%d series while the last hour closes, want the sample before it", n)
	}
	clock = at("2026-04-20T15:30:00Z")
	if n := count(events, "2026-04-20T15:30:00Z"); n != 0 {
		t.Errorf("%d series after an hour that has closed without events, want none", n)
	}
}

// While the table stream is behind, an empty list may lack series: each response that depends on the list
// has a warning.
func TestServe_SaysThatSeriesMayNotBeListedYet(t *testing.T) {
	a := newAPIWith(t, now, nil, nil)
	table := a.Query.Store.(*memory.Table)
	for step, behind := range map[time.Duration]bool{time.Minute: false, time.Hour: true} {
		if err := table.PutItem(t.Context(), item.FromStreamProgress(now.Add(-step))); err != nil {
			t.Fatal(err)
		}
		a.Query.Store = &query.Live{Store: table, Watermarks: table, Stream: table, Now: a.Query.Now,
			Kind: query.CatalogKinds(a.Catalog)}
		for path, params := range map[string]string{
			"query":       "query=temperature",
			"query_range": "query=temperature&start=1776600000&end=1776690000&step=1h",
			"series":      "match[]=temperature", "labels": "", "label/subject/values": "",
		} {
			status, body := call(t, a, "GET", path, params, "")
			warned := strings.Contains(fmt.Sprint(body["warnings"]), "may be missing")
			if status != 200 || warned != behind {
				t.Errorf("%s, %s behind: %d, warnings %v; want one: %t", path, step, status,
					body["warnings"], behind)
			}
		}
	}
}

// rowReads counts the reads of rows.
type rowReads struct {
	query.Store
	n int
}

func (c *rowReads) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	c.n++
	return c.Store.Rows(ctx, unit, r)
}

// While the first hour of a group closes, one more read shows that none comes before it.
func TestQuery_TheFirstHourOfAGroupIsReadTwice(t *testing.T) {
	a := newGroup(t, at("2026-04-20T13:00:00Z"), func() model.Time { return at("2026-04-20T14:02:00Z") })
	reads := &rowReads{Store: a.Query.Store}
	a.Query.Store = reads
	params := url.Values{"query": {"tidemark_events"}, "time": {"2026-04-20T14:02:00Z"}}.Encode()
	if status, body := call(t, a, "GET", "query", params, ""); status != 200 || reads.n != 2 {
		t.Errorf("%d %v: rows are read %d times, want twice", status, body, reads.n)
	}
}
