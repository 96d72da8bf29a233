package httpapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var flow = catalog.Kind{Name: "FLOW", Subject: catalog.SubjectType{Name: "PUMP"}}

func newCatalog(t *testing.T, kinds ...catalog.Kind) *catalog.Catalog {
	t.Helper()
	c, err := catalog.New(kinds...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSeriesRoutes_FollowTheOrderOfTheKinds(t *testing.T) {
	views := catalog.Kind{Name: "PAGEVIEW", Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest}
	views.Dimensions, views.IndexBy, views.IDs = []rollup.DimensionSpec{{Name: "path"}}, "visitor",
		catalog.RequiredID
	clicks := catalog.Kind{Name: "CLICK", Subject: views.Subject, Latest: catalog.NoLatest}
	want := []Route{
		{"POST", "/v1/flows", Append, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows", ReadHistory, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/count", ReadCount, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/rollups", ReadChart, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/rollups/total", ReadTotal, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/rollups/{tier}", ReadRollups, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/latest", ReadLatest, "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/verify/{tier}", Action: VerifyBucket, Kind: "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/{time}", ReadEvent, "FLOW"},
		{"GET", "/v1/pumps/{id}/flows/{time}/{event}", ReadEventByID, "FLOW"},
		{"PUT", "/v1/pumps/{id}/flows/{time}", CorrectEvent, "FLOW"},
		{"PUT", "/v1/pumps/{id}/flows/{time}/{event}", CorrectEventByID, "FLOW"},
		{"DELETE", "/v1/pumps/{id}/flows/{time}", DeleteEvent, "FLOW"},
		{"DELETE", "/v1/pumps/{id}/flows/{time}/{event}", DeleteEventByID, "FLOW"},
		{"POST", "/v1/pageviews", Append, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews", ReadHistory, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/count", ReadCount, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/rollups", ReadChart, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/rollups/total", ReadTotal, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/rollups/{tier}", ReadRollups, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/top/{dimension}", ReadTop, "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/verify/{tier}", Action: VerifyBucket, Kind: "PAGEVIEW"},
		{"GET", "/v1/pageviews/visitor/{value}", ReadByIndex, "PAGEVIEW"},
		{"GET", "/v1/sites/{id}/pageviews/{time}/{event}", ReadEventByID, "PAGEVIEW"},
		{"PUT", "/v1/sites/{id}/pageviews/{time}/{event}", CorrectEventByID, "PAGEVIEW"},
		{"DELETE", "/v1/sites/{id}/pageviews/{time}/{event}", DeleteEventByID, "PAGEVIEW"},
		{"POST", "/v1/clicks", Append, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks", ReadHistory, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/count", ReadCount, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/rollups", ReadChart, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/rollups/total", ReadTotal, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/rollups/{tier}", ReadRollups, "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/verify/{tier}", Action: VerifyBucket, Kind: "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/{time}", ReadEvent, "CLICK"},
		{"GET", "/v1/sites/{id}/clicks/{time}/{event}", ReadEventByID, "CLICK"},
		{"PUT", "/v1/sites/{id}/clicks/{time}", CorrectEvent, "CLICK"},
		{"PUT", "/v1/sites/{id}/clicks/{time}/{event}", CorrectEventByID, "CLICK"},
		{"DELETE", "/v1/sites/{id}/clicks/{time}", DeleteEvent, "CLICK"},
		{"DELETE", "/v1/sites/{id}/clicks/{time}/{event}", DeleteEventByID, "CLICK"},
		{"GET", "/v1/pumps/{id}", ReadProfile, "PUMP"},
		{"GET", "/v1/sites/{id}", ReadProfile, "SITE"},
		{"GET", "/v1/sites/{id}/rollups", ReadAllChart, "SITE"},
		{"GET", "/v1/sites/{id}/rollups/total", ReadAllTotal, "SITE"},
		{"GET", "/v1/sites/{id}/rollups/{tier}", ReadAllRollups, "SITE"},
		{"GET", "/v1/sites/{id}/top/{dimension}", ReadAllTop, "SITE"},
	}
	if diff := cmp.Diff(want, Routes(newCatalog(t, flow, views, clicks))[:len(want)]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSubjectRoutes_EachSubjectTypeHasThem(t *testing.T) {
	kinds := newCatalog(t, flow)
	routes, seen := Routes(kinds), map[string]bool{}
	own := 0
	for _, r := range routes {
		if r.Kind == flow.Subject.Name && strings.HasPrefix(r.Path, "/v1/"+kinds.Kinds[0].Subject.Path) {
			own++
		}
		if seen[r.Method+" "+r.Path] {
			t.Errorf("%s %s: listed twice", r.Method, r.Path)
		}
		seen[r.Method+" "+r.Path] = true
	}
	if own != 1+12+7 {
		t.Errorf("%d routes of the subject type, want its profile, 12 of its lifecycle, and 7 of its alerts and rules", own)
	}
}

// A kind whose path were a fixed segment of the routes would make paths ambiguous.
func TestRouteWords_AreReservedInTheCatalog(t *testing.T) {
	words := []string{"restore", "purge", "deleted", "versions", "latest", "count", "rollups", "top", "alerts",
		"rules"}
	for _, word := range words {
		if !IsWord(word) {
			t.Errorf("no route has %s", word)
		}
		k := flow
		k.Path = word
		if _, err := catalog.New(k); err == nil || !strings.Contains(err.Error(), "fixed segment of routes") {
			t.Errorf("kind with path %s: %v, want an error", word, err)
		}
	}
	for _, word := range []string{"alerts", "rules"} {
		k := flow
		k.Subject.Path = word
		if _, err := catalog.New(k); err == nil || !strings.Contains(err.Error(), "fixed segment of routes") {
			t.Errorf("subject type with path %s: %v, want an error", word, err)
		}
	}
}
