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
	views.Dimensions = []rollup.DimensionSpec{{Name: "path"}}
	views.IndexBy = "visitor"
	views.IDs = catalog.RequiredID
	clicks := catalog.Kind{Name: "CLICK", Subject: views.Subject, Latest: catalog.NoLatest}
	want := []Route{
		{Method: "POST", Path: "/v1/flows", Action: Append, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows", Action: ReadHistory, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/count", Action: ReadCount, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/rollups", Action: ReadChart, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/rollups/total", Action: ReadTotal, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/rollups/{tier}", Action: ReadRollups, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/latest", Action: ReadLatest, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/verify/{tier}", Action: VerifyBucket, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/{time}", Action: ReadEvent, Kind: "FLOW"},
		{Method: "GET", Path: "/v1/pumps/{id}/flows/{time}/{event}", Action: ReadEventByID, Kind: "FLOW"},
		{Method: "PUT", Path: "/v1/pumps/{id}/flows/{time}", Action: CorrectEvent, Kind: "FLOW"},
		{Method: "PUT", Path: "/v1/pumps/{id}/flows/{time}/{event}", Action: CorrectEventByID, Kind: "FLOW"},
		{Method: "DELETE", Path: "/v1/pumps/{id}/flows/{time}", Action: DeleteEvent, Kind: "FLOW"},
		{
			Method: "DELETE", Path: "/v1/pumps/{id}/flows/{time}/{event}", Action: DeleteEventByID,
			Kind: "FLOW",
		},
		{Method: "POST", Path: "/v1/pageviews", Action: Append, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews", Action: ReadHistory, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/count", Action: ReadCount, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/rollups", Action: ReadChart, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/rollups/total", Action: ReadTotal, Kind: "PAGEVIEW"},
		{
			Method: "GET", Path: "/v1/sites/{id}/pageviews/rollups/{tier}", Action: ReadRollups,
			Kind: "PAGEVIEW",
		},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/top/{dimension}", Action: ReadTop, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/sites/{id}/pageviews/verify/{tier}", Action: VerifyBucket, Kind: "PAGEVIEW"},
		{Method: "GET", Path: "/v1/pageviews/visitor/{value}", Action: ReadByIndex, Kind: "PAGEVIEW"},
		{
			Method: "GET", Path: "/v1/sites/{id}/pageviews/{time}/{event}", Action: ReadEventByID,
			Kind: "PAGEVIEW",
		},
		{
			Method: "PUT", Path: "/v1/sites/{id}/pageviews/{time}/{event}", Action: CorrectEventByID,
			Kind: "PAGEVIEW",
		},
		{
			Method: "DELETE", Path: "/v1/sites/{id}/pageviews/{time}/{event}", Action: DeleteEventByID,
			Kind: "PAGEVIEW",
		},
		{Method: "POST", Path: "/v1/clicks", Action: Append, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks", Action: ReadHistory, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/count", Action: ReadCount, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/rollups", Action: ReadChart, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/rollups/total", Action: ReadTotal, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/rollups/{tier}", Action: ReadRollups, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/verify/{tier}", Action: VerifyBucket, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/{time}", Action: ReadEvent, Kind: "CLICK"},
		{Method: "GET", Path: "/v1/sites/{id}/clicks/{time}/{event}", Action: ReadEventByID, Kind: "CLICK"},
		{Method: "PUT", Path: "/v1/sites/{id}/clicks/{time}", Action: CorrectEvent, Kind: "CLICK"},
		{
			Method: "PUT", Path: "/v1/sites/{id}/clicks/{time}/{event}", Action: CorrectEventByID,
			Kind: "CLICK",
		},
		{Method: "DELETE", Path: "/v1/sites/{id}/clicks/{time}", Action: DeleteEvent, Kind: "CLICK"},
		{
			Method: "DELETE", Path: "/v1/sites/{id}/clicks/{time}/{event}", Action: DeleteEventByID,
			Kind: "CLICK",
		},
		{Method: "GET", Path: "/v1/pumps/{id}", Action: ReadProfile, Kind: "PUMP"},
		{Method: "GET", Path: "/v1/sites/{id}", Action: ReadProfile, Kind: "SITE"},
		{Method: "GET", Path: "/v1/sites/{id}/rollups", Action: ReadAllChart, Kind: "SITE"},
		{Method: "GET", Path: "/v1/sites/{id}/rollups/total", Action: ReadAllTotal, Kind: "SITE"},
		{Method: "GET", Path: "/v1/sites/{id}/rollups/{tier}", Action: ReadAllRollups, Kind: "SITE"},
		{Method: "GET", Path: "/v1/sites/{id}/top/{dimension}", Action: ReadAllTop, Kind: "SITE"},
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
		t.Errorf("%d routes of the subject type, want its profile, 12 of its lifecycle, "+
			"and 7 of its alerts and rules", own)
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
