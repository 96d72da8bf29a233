package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// interrupted is a table with pages of two events, whose invocation ends after some pages.
type interrupted struct {
	eraseStore
	pages int
	end   context.CancelFunc
}

func (i *interrupted) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if i.pages--; i.pages < 0 {
		i.end()
		return storage.EventPage{}, ctx.Err()
	}
	r.Limit = 2
	return i.eraseStore.Events(ctx, r)
}

// putViews stores five views of each of two visitors of a site, over its shards.
func (f *fixture) putViews() {
	f.Helper()
	kind, _ := f.catalog.Kind("PAGEVIEW")
	for n := range 10 {
		visitor := []string{"alice", "bob"}[n%2]
		order := model.Order{At: f.now().Add(-time.Duration(n) * time.Minute), ID: fmt.Sprint(n)}
		attrs := model.Attrs{
			{Name: "path", Value: model.TextValue("/")}, {Name: "visitor", Value: model.TextValue(visitor)},
		}
		e := model.Event{
			Series: kind.Series("shop.example", "", order), Order: order, Attrs: attrs, Hash: model.HashAttrs(attrs),
			ArrivedAt: f.now(),
		}
		if err := f.table.PutItem(f.Context(), item.FromEvent(&e)); err != nil {
			f.Fatal(err)
		}
	}
}

// erase sends a purge with a query, in an invocation that ends after some pages.
func (f *fixture) erase(query string, pages int) (status int, erased views.ErasedEvents) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	defer cancel()
	f.handler.erasing = &interrupted{eraseStore: f.table, pages: pages, end: cancel}
	r := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "POST /v1/sites/{id}/purge", RawPath: "/v1/sites/shop.example/purge",
		RawQueryString: query,
	}
	r.RequestContext.HTTP.Method, r.RequestContext.HTTP.Path = "POST", r.RawPath
	payload, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	text, err := f.Invoke(ctx, payload)
	var response events.APIGatewayV2HTTPResponse
	if err == nil {
		err = json.Unmarshal(text, &response)
	}
	var body views.Purge
	if err == nil {
		err = json.Unmarshal([]byte(response.Body), &body)
	}
	if err != nil {
		f.Fatal(err)
	}
	if body.Events != nil {
		erased = *body.Events
	}
	return response.StatusCode, erased
}

func TestPurge_RemovesTheEventsOfOneVisitorOverSeveralRequests(t *testing.T) {
	const where = "eventsWhere=visitor%3Dalice"
	for _, pages := range []int{1, 2, 3, 1000} {
		f := newFixture(t)
		f.putViews()
		status, dry := f.erase(where+"&dryRun=true", 1000)
		if status != 200 || dry.Removed != 5 || dry.Next != nil {
			t.Errorf("dry run: %d, %+v; want 5 events", status, dry)
		}
		removed, cursor := int64(0), ""
		for requests := 0; ; requests++ {
			status, got := f.erase(where+cursor, pages)
			if status != 200 || requests > 50 {
				t.Fatalf("request %d: %d, %+v", requests, status, got)
			}
			if removed += got.Removed; got.Next == nil {
				break
			}
			cursor = "&cursor=" + url.QueryEscape(*got.Next)
		}
		if removed != 5 {
			t.Errorf("%d pages a request: %d events removed, want 5", pages, removed)
		}
		if _, left := f.erase(where, 1000); left.Removed != 0 || left.WithFields != 5 || len(left.Remains) == 0 {
			t.Errorf("%d pages a request: %+v; want the other visitor's events left, and copies", pages, left)
		}
	}
}

// Another program stored the views, and the table stream is behind: nothing else has queued their hours.
func TestPurge_QueuesTheBucketsOfTheEventsThatItRemoves(t *testing.T) {
	f := newFixture(t)
	f.putViews()
	if _, got := f.erase("eventsWhere=visitor%3Dalice", 1000); got.Removed != 5 {
		t.Fatalf("%+v, want 5 events removed", got)
	}
	queued := map[string]bool{}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		page, err := f.table.Invalidations(t.Context(), shard, model.MaxTime, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range page.Invalidations {
			queued[i.Key.Series.Kind] = true
		}
	}
	if !queued["PAGEVIEW"] || !queued["SESSION"] {
		t.Errorf("the buckets of %v are queued, want the views and their sessions", queued)
	}
}

func TestPurge_RefusesParametersThatDoNotFit(t *testing.T) {
	f := newFixture(t)
	f.putViews()
	for _, query := range []string{
		"eventsWhere=visitor%3Dalice&graceHours=3", "eventsKind=pageviews", "cursor=e30",
		"eventsWhere=visitor", "eventsWhere=visitor%3Dalice&eventsKind=readings",
		"eventsWhere=visitor%3Dalice&cursor=" + strings.Repeat("!", 4),
	} {
		if status, _ := f.erase(query, 1000); status != 400 {
			t.Errorf("%s: %d, want 400", query, status)
		}
	}
	const chosen = "eventsWhere=visitor%3Dalice&eventsKind=pageviews&dryRun=true"
	if _, left := f.erase(chosen, 1000); left.Removed != 5 {
		t.Errorf("%d events are left, want all 5", left.Removed)
	}
}
