package catalog_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// A goal's value is a declared measure of the events that have it, so no other name takes its place in a row.
func TestNew_DeclaresTheValuesOfGoals(t *testing.T) {
	kinds := web.Kinds()
	for i := range kinds {
		if kinds[i].Name == web.Sessions.Name {
			kinds[i].Goals = []goal.Goal{
				{Name: "buy", Value: "revenue_EUR", Steps: []goal.Step{{Of: "CUSTOMEVENT",
					Where: []goal.Match{{Field: "shop", Pattern: "*"}}}}},
				{Name: "long", Value: "bytes", Steps: []goal.Step{{Of: "PAGEVIEW"}}, MinDuration: time.Minute},
			}
		}
	}
	c := mustNew(t, kinds...)
	events, _ := c.Kind("CUSTOMEVENT")
	views, _ := c.Kind("PAGEVIEW")
	if !events.Declared("revenue_EUR") || events.Declared("revenue_USD") ||
		len(views.Measures) != len(web.PageViews.Measures) {
		t.Errorf("measures of events %v, of views %v; want revenue_EUR added once, nothing to views",
			events.Measures, views.Measures)
	}
	for name, want := range map[string]bool{"revenue_EUR": true, "shop": true, "name": true, "visitor": true,
		"other": false} {
		if events.Knows(name) != want {
			t.Errorf("%s: known %v, want %v", name, !want, want)
		}
	}
}

func TestStores_FollowsThePolicy(t *testing.T) {
	for policy, other := range map[catalog.UndeclaredPolicy]bool{"": true, catalog.KeepUndeclared: true,
		catalog.DropUndeclared: false, catalog.RejectUndeclared: false} {
		k := web.PageViews
		k.Undeclared, k.OtherFields = policy, []string{"note"}
		views, _ := mustNew(t, k, web.Sessions).Kind("PAGEVIEW")
		if !views.Stores("path") || !views.Stores("note") || !views.Stores("utm_term") ||
			views.Stores("debug") != other {
			t.Errorf("%q: path %v, note %v, debug %v; want true, true, %v", policy, views.Stores("path"),
				views.Stores("note"), views.Stores("debug"), other)
		}
	}
}
