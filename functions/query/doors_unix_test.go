//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/limits/doortest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// part is what a suite that is not long leaves out: the table has a tenth of what the requests may read.
func part(n int) int {
	if testenv.Long() {
		return n
	}
	return n / 10
}

// mergedSubjects is the number of subjects that a request merges: one and the most that with may name.
const mergedSubjects = 101

// largeTable returns a handler of a table with as much as the worst requests read.
func largeTable(t *testing.T) *Handler {
	t.Helper()
	h, _ := newHandler(t)
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &h.Catalog.Kinds[0]
	long, short := text("location", strings.Repeat("x", 4000)), text("location", "a")
	put := func(e model.Event) {
		if _, err := table.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for i := range part(10_100) {
		when := now.Add(-time.Duration(i) * time.Second)
		put(eventAt(kind, "many", when, number("temperature", "1"), short))
	}
	for i := range 1000 {
		put(eventAt(kind, "large", now.Add(-time.Duration(i)*time.Second), number("temperature", "1"), long))
	}
	for hour := range part(1000) {
		when := now.Add(-time.Duration(hour+1) * time.Hour)
		fold := rollup.NewFold(kind.Spec())
		e := eventAt(kind, "d0", when, number("temperature", "1"), number("humidity", "2"), short)
		fold.AddEvent(&e)
		row := rollup.Row{
			Key:  rollup.Key{Series: e.Series, Tier: tier.Hour.String()},
			Fold: *fold, WrittenAt: now, Rev: rollup.Rev{1},
		}
		row.Key.Start = tier.Hour.BucketAt(when).Start
		for subject := range mergedSubjects {
			row.Key.Series.Subject.ID = fmt.Sprint("d", subject)
			if _, err := table.PutRow(t.Context(), &row, rollup.Rev{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.Query = &query.Service{Store: table, Now: clock, CursorKey: []byte(localCursorKey)}
	return h
}

func eventAt(kind *catalog.Kind, subject string, when model.Time, attrs ...model.Attr) model.Event {
	order := model.Order{At: when}
	return model.Event{Series: kind.Series(subject, "", order), Order: order, Attrs: attrs, ArrivedAt: when}
}

// TestDoors sends the worst request that each read accepts.
func TestDoors(t *testing.T) {
	h := largeTable(t)
	var with strings.Builder
	for i := range mergedSubjects - 1 {
		fmt.Fprintf(&with, "&with=d%d", i+1)
	}
	secret := []byte("the secret of the stage")
	link, err := access.CheckLink(access.NewLink(secret, access.Link{Subject: "devices/large",
		Until: time.Unix(9, 0), Events: true}), time.Unix(0, 0), secret)
	if err != nil {
		t.Fatal(err)
	}
	for door, r := range map[string]httpapi.Request{
		"GET /v1/{read+}, events": {
			Path: "/v1/devices/many/readings", RawQuery: "last=1d&limit=1000&where=location%3Db"},
		"GET /v1/{read+}, rollups": {
			Path: "/v1/devices/d0/readings/rollups/hour", RawQuery: "last=1000h&limit=1000" + with.String()},
		"exports: GET /v1/{read+} as CSV": {
			Path: "/v1/devices/large/readings", RawQuery: "last=1d&limit=1000",
			Headers: map[string]string{"Accept": "text/csv"}},
		"GET /shared/{proxy+}": {
			Path: "/shared/v1/devices/large/readings", RawQuery: "last=1d&limit=1000", Authorizer: link},
	} {
		r.Method = http.MethodGet
		measure(t, h, door, &r)
	}
	site := visitedSite(t)
	const body = `{"site_id":"my-site","date_range":["2026-04-01","2026-04-20"],` +
		`"metrics":["visitors","visits","pageviews","bounce_rate","visit_duration","views_per_visit"],` +
		`"dimensions":["event:page"],"filters":[["contains","event:page",["/p"]]]}`
	measure(t, site, "POST /api/v2/query",
		&httpapi.Request{Method: http.MethodPost, Path: access.PathStats, Body: body})
	key := access.Scope{Key: "k", Sites: []string{"my-site"}}
	measure(t, site, "GET /api/v1/stats/{proxy+}", &httpapi.Request{Method: http.MethodGet,
		Path: access.PathReports + "breakdown", Authorizer: key.Context(),
		RawQuery: url.Values{"site_id": {"my-site"}, "period": {"custom"}, "date": {"2026-04-01,2026-04-20"},
			"property": {"event:page"}, "limit": {"1000"}, "metrics": {"visitors,pageviews"},
			"filters": {"event:page==/p*"}}.Encode()})
}

// measure sends a request, which must be accepted.
func measure(t *testing.T, h *Handler, door string, r *httpapi.Request) {
	t.Helper()
	doortest.Measure(t, door, func(ctx context.Context) doortest.Sent {
		response := h.serve(ctx, r)
		if response.Status != http.StatusOK {
			t.Fatalf("%s: %d %.500s", door, response.Status, response.Body)
		}
		return doortest.Sent{Bytes: len(response.Body)}
	})
}

// visitedSite returns a site with 40,000 views of 1,000 pages in 20 days, or a part of them.
func visitedSite(t *testing.T) *Handler {
	t.Helper()
	h := newSite(t)
	clock := func() model.Time { return now }
	table := memory.New(clock)
	views, _ := h.Catalog.Kind(web.PageViews.Name)
	all := make([]model.Event, 0, part(40_000))
	for i := range cap(all) {
		when := now.Add(-time.Duration(i) * 43 * time.Second)
		visitor, path := fmt.Sprint("v", i%997), fmt.Sprint("/p", i%1000)
		all = append(all, view(views, fmt.Sprint("e", i), when.String(), visitor, path))
	}
	storeViews(t, table, views, all...)
	h.Query = &query.Service{Store: table, Now: clock, CursorKey: []byte(localCursorKey)}
	h.Limits = config.Default().Limits
	return h
}
