package export

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The visits of a site are written once, whether they are listed beside its page views or not.
func TestRollups_OfSessionsAreLinesOnce(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(web.PageViews, web.CustomEvents, web.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	of := func(kind string) model.Series {
		k, _ := kinds.Kind(kind)
		return k.Series("x.org", "", model.Order{})
	}
	views, _ := kinds.Kind(web.PageViews.Name)
	const day = "2026-04-20T00:00:00Z"
	start, err := model.ParseTime(day, model.RejectFinerTime)
	if err != nil {
		t.Fatal(err)
	}
	view := model.Event{
		Series: of(views.Name), Order: model.Order{At: start, ID: "1"}, ArrivedAt: start,
		Attrs: model.Attrs{
			{Name: "path", Value: model.TextValue("/")}, {Name: "visitor", Value: model.TextValue("a")},
		},
	}
	view.ExpiresAt = views.Retention.EventExpiresAt(start)
	for _, listed := range [][]string{
		{web.PageViews.Name}, {web.PageViews.Name, web.Sessions.Name},
		{web.PageViews.Name, web.CustomEvents.Name, web.Sessions.Name},
	} {
		table := memory.New(func() model.Time { return testNow })
		if _, err := table.Put(t.Context(), view); err != nil {
			t.Fatal(err)
		}
		for _, kind := range listed {
			list(t, table, of(kind), start, start)
		}
		lines := strings.Split(exportedFrom(t, table, kinds, "day", "csv"), "\n")
		visits := slices.DeleteFunc(lines, func(line string) bool {
			return !strings.Contains(line, ",day,"+day+",views,")
		})
		if len(visits) != 1 {
			t.Errorf("with %v listed, the views of the visits are %d lines: %v", listed, len(visits), visits)
		}
	}
}
