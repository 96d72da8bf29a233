package timeseries_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// View is a view of a page.
type View struct {
	Site    string    `tide:"subject"`
	At      time.Time `tide:"time"`
	ID      string    `tide:"id"`
	Path    string    `tide:"dimension"`
	Visitor string    `tide:"distinct"`
}

// Visit is a session of views.
type Visit struct {
	Site     string    `tide:"subject"`
	Begin    time.Time `tide:"time"`
	Visitor  string    `tide:"distinct"`
	Entry    string    `tide:"dimension"`
	Exit     string    `tide:"dimension"`
	Views    int       `tide:"measure"`
	Duration int       `tide:"measure"` // milliseconds
	Bounce   int       `tide:"measure"`
}

// viewsOfThree are three visits: of two views, and of one view twice. The last begins after a pause of 40
// minutes.
func viewsOfThree() []View {
	at := today.Add(-3 * time.Hour)
	return []View{
		{
			Site: "x.org", At: at, ID: "1", Path: "/", Visitor: "ann",
		}, {Site: "x.org", At: at.Add(10 * time.Minute), ID: "2", Path: "/buy", Visitor: "ann"},
		{Site: "x.org", At: at.Add(time.Minute), ID: "3", Path: "/", Visitor: "bob"},
		{Site: "x.org", At: at.Add(50 * time.Minute), ID: "4", Path: "/help", Visitor: "ann"},
	}
}

// Read the rollups of sessions: visits, how many bounced, their duration, and the pages on which they began.
func ExampleOptions_sessions() {
	ctx, table := context.Background(), newTable()
	views, err := timeseries.Open[View](table, web.PageViews, &timeseries.Options{Now: clock})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := views.AppendAll(ctx, viewsOfThree()); err != nil {
		log.Fatal(err)
	}
	visits, err := timeseries.Open[Visit](table, web.Sessions,
		&timeseries.Options{Now: clock, Sources: []catalog.Kind{web.PageViews}})
	if err != nil {
		log.Fatal(err)
	}
	list, err := visits.Rollups(ctx, timeseries.Key{Subject: "x.org"}, tier.Day)
	found := list.Rollups
	for _, r := range found {
		bounce, duration := r.Measure("bounce"), r.Measure("duration")
		rate, _ := bounce.Avg()
		entry, _ := r.Summary.Dimension("entry")
		fmt.Printf("%s: %d visits, %.2f bounced, %s ms, entry %v %v\n", r.Bucket, r.Summary.Events(), rate,
			duration.Sum, entry.Values, err)
	}
	for v, err := range visits.History(ctx, timeseries.Key{Subject: "x.org"},
		timeseries.Where("visitor", model.Equal, "ann")) {
		fmt.Println(v.Begin.Format(time.TimeOnly), v.Views, v.Entry, v.Exit, err)
	}
	// Output:
	// day 2026-04-20: 3 visits, 0.67 bounced, 600000 ms, entry [{/ 2} {/help 1}] <nil>
	// 15:00:00 2 / /buy <nil>
	// 15:50:00 1 /help /help <nil>
}

func openVisits(store timeseries.Store, kind catalog.Kind,
	sources ...catalog.Kind) (*timeseries.Events[Visit], error) {
	return timeseries.Open[Visit](store, kind, &timeseries.Options{Now: clock, Sources: sources})
}

// Rollups of sessions are the same before and after their rows are written.
func TestSessions_AreReadAsOtherKinds(t *testing.T) {
	t.Parallel()
	table := timeseriestest.New(t, today)
	options := table.Options()
	views, err := timeseries.Open[View](table, web.PageViews, options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := views.AppendAll(t.Context(), viewsOfThree()); err != nil {
		t.Fatal(err)
	}
	options.Sources = []catalog.Kind{web.PageViews}
	visits, err := timeseries.Open[Visit](table, web.Sessions, options)
	if err != nil {
		t.Fatal(err)
	}
	key := timeseries.Key{Subject: "x.org"}
	for _, stored := range []bool{false, true} {
		if stored {
			table.Fold(views.Kind(), visits.Kind())
			table.Advance(48 * time.Hour)
			table.Sweep(views.Kind(), visits.Kind())
			var listed []timeseries.Listed
			for l, err := range visits.Series(t.Context(), "x.org") {
				if listed = append(listed, l); err != nil {
					t.Fatal(err)
				}
			}
			if len(listed) != 1 || listed[0].Key != key {
				t.Errorf("series %v, want the views'", listed)
			}
		}
		for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			list, err := visits.Rollups(t.Context(), key, unit)
			found := list.Rollups
			if err != nil || len(found) != 1 || found[0].Summary.Events() != 3 || !found[0].Exact {
				t.Errorf("stored %v, %s: %d rollups, %v; want one of three visits", stored, unit, len(found), err)
			}
		}
		curve, err := visits.Chart(t.Context(), key, timeseries.In(today.Add(-24*time.Hour), today))
		if total := curve.Total(); err != nil || total.Summary.Events() != 3 {
			t.Errorf("stored %v: a chart of %d visits, %v; want 3", stored, total.Summary.Events(), err)
		}
		total, err := visits.Total(t.Context(), key)
		if n, _, _ := total.Summary.Distinct("visitor"); err != nil || total.Summary.Events() != 3 || n != 2 {
			t.Errorf("stored %v: %d visits of %d visitors, %v; want 3 of 2", stored, total.Summary.Events(), n, err)
		}
	}
	out, err := visits.Append(t.Context(), Visit{Site: "x.org", Begin: today, Visitor: "ann"})
	const advice = "send events of kind PAGEVIEW"
	if !errors.Is(err, timeseries.ErrRejected) || !strings.Contains(fmt.Sprint(err), advice) {
		t.Errorf("append of a session: %v, %v; want it rejected", out, err)
	}
}

func TestSessions_NeedTheKindsThatTheyAreFoldedFrom(t *testing.T) {
	t.Parallel()
	buys := web.Sessions
	buys.Goals = []goal.Goal{{Name: "buy",
		Steps: []goal.Step{{Of: "CUSTOMEVENT", Where: []goal.Match{{Field: "name", Pattern: "Buy"}}}}}}
	for _, c := range []struct {
		kind    catalog.Kind
		sources []catalog.Kind
		want    string
	}{
		{web.Sessions, nil, "sessionsOf.kind"},
		{web.Sessions, []catalog.Kind{web.Requests}, "sessionsOf.kind"},
		{buys, []catalog.Kind{web.PageViews}, "goals.buy"},
		{buys, []catalog.Kind{web.CustomEvents, web.PageViews}, ""},
	} {
		_, err := openVisits(newTable(), c.kind, c.sources...)
		var mistake *timeseries.Error
		if (err == nil) != (c.want == "") || err != nil && (!errors.As(err, &mistake) ||
			mistake.Code != timeseries.KindUnusable || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d goals, %d sources: %v, want %q", len(c.kind.Goals), len(c.sources), err, c.want)
		}
	}
}

// Sources with another number of shards would be read in part only.
func TestSessions_RefuseSourcesThatDoNotFitTheTable(t *testing.T) {
	t.Parallel()
	table := newTable()
	kinds, err := catalog.New(web.PageViews, web.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	a := &tableconfig.Applier{
		Table: table, Queue: table, Now: func() model.Time { return model.NewTime(clock()) },
		Sweep: func(context.Context, storage.QueueShard) error { return nil },
	}
	if _, err := a.Apply(t.Context(), kinds); err != nil {
		t.Fatal(err)
	}
	more := web.PageViews
	more.Dimensions = append(slices.Clone(more.Dimensions), rollup.DimensionSpec{Name: "author"})
	fewer := web.PageViews
	fewer.Shards = 2
	for _, c := range []struct {
		source catalog.Kind
		want   error
	}{{web.PageViews, nil}, {more, nil}, {fewer, timeseries.ErrTableConfig}} {
		visits, err := openVisits(table, web.Sessions, c.source)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := visits.Rollups(t.Context(), timeseries.Key{Subject: "x.org"}, tier.Day); !errors.Is(err,
			c.want) {
			t.Errorf("%d shards: %v, want %v", c.source.Shards, err, c.want)
		}
	}
}
