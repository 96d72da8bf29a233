package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Histories of sessions: the events are page views of a few visitors, and the rollups are of their
// sessions. Views are on a grid of ten minutes, so that pauses of exactly the gap are common.
const (
	visitName  = "VISIT"
	site       = "site"
	sessionGap = 30 * time.Minute
	followed   = 3 * time.Hour // short, so that some sessions are followed no longer
	viewHours  = 4             // that have views
	viewGrid   = 10 * time.Minute
)

// playSessions plays one history of sessions with the code as it is.
func playSessions(s *simstream.Sim) { playSessionsVariant(s, variant{}) }

func playSessionsVariant(s *simstream.Sim, v variant) {
	w := newWorld(s, v)
	w.mayDefer, w.eventIn = true, w.viewKey
	w.now = w.sessionCatalog(w.dice.Part("policy"))
	w.hours = sessionHours(w.dice.Part("hours"))
	s.Begin(w.hours[0])
	w.begin()
	s.Check(w.checkSessions)
	w.planSessions()
}

// sessionCatalog has page views, and their sessions, whose rows never expire.
func (w *world) sessionCatalog(d simstream.Dice) *catalog.Catalog {
	raw := 4 * tier.Day24
	if w.nothingExpires {
		raw = 40 * tier.Day24
	}
	views := catalog.Kind{
		Name: kindName, Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest,
		Shards: 1 + d.Pick("shards", 2), Retention: tier.Policy{Raw: raw},
	}
	grace := sessionGap + []time.Duration{5, 3, 15}[d.Pick("grace", 3)]*time.Minute
	visits := catalog.Kind{
		Name: visitName, Subject: views.Subject, Latest: catalog.NoLatest,
		Retention: tier.Policy{Raw: raw, Jitter: []time.Duration{0, 100 * time.Second}[d.Pick("jitter", 2)]},
		Sessions: &catalog.Sessions{
			Of: kindName, By: "who", Gap: sessionGap, Follow: followed,
			First: []catalog.SessionField{{Name: "entry", Of: "page"}},
			Last:  []catalog.SessionField{{Name: "exit", Of: "page"}},
		},
		Dimensions: []rollup.DimensionSpec{{Name: "entry"}, {Name: "exit"}},
		Goals: []goal.Goal{{Name: "x",
			Steps: []goal.Step{{Of: kindName, Where: []goal.Match{{Field: "page", Pattern: "/x"}}}}}},
	}
	for _, u := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		visits.Retention.Tiers = append(visits.Retention.Tiers,
			tier.Tier{Unit: u, Retention: tier.Forever, Deferred: true, Grace: grace})
	}
	c, err := catalog.New(views, visits)
	if err != nil {
		panic(err) // a mistake of this program
	}
	return c
}

// sessionHours draws the hours that have views: around midnight or the end of a month in most
// histories.
func sessionHours(d simstream.Dice) (hours []model.Time) {
	first, _ := model.ParseTime([]string{"2026-03-10T22:00:00Z", "2026-03-31T22:00:00Z", "2024-02-29T21:00:00Z",
		"2026-12-31T23:00:00Z", "2026-03-10T09:00:00Z"}[d.Pick("first", 5)], model.RejectFinerTime)
	for i := range viewHours {
		hours = append(hours, first.Add(time.Duration(i)*time.Hour))
	}
	return hours
}

// sessionOperations are drawn by weight. A shrunk history prefers the first.
var sessionOperations = []operation{
	{name: "view", weight: 16, do: (*world).view},
	{name: "delete a view", weight: 4, do: (*world).delete},
	{name: "correct a view, perhaps its visitor", weight: 4, do: (*world).correctView},
	{name: "delete a view and send it again", weight: 3, do: (*world).resendView},
	{name: "move a view in time", weight: 3, do: (*world).moveView},
	{name: "remove a view in the console", weight: 1, do: (*world).removeDirectly},
	{name: "rebuild the sessions", weight: 1, do: (*world).rebuildSessions},
}

// planSessions schedules operations: most while the hours pass, some later, and some about when
// the views expire.
func (w *world) planSessions() {
	const most = 36
	for i := range most {
		d := w.dice.Part("operation", i)
		if !d.Chance("happens", .7) {
			continue
		}
		at := w.hours[0].Add(d.Span("at", viewHours*time.Hour+sessionGap))
		switch d.Pick("when", 8) {
		case 1:
			at = at.Add(d.Span("hours later", 8*time.Hour))
		case 2:
			at = at.Add(d.Span("days later", 3*tier.Day24))
		case 3:
			if !w.nothingExpires {
				at = at.Add(w.kind().Retention.Raw - 6*time.Hour + d.Span("about the expiry", 9*time.Hour))
			}
		}
		w.At(at, func() {
			w.CheckNow()
			w.perform(sessionOperations, fmt.Sprintf("user %d", i), d, w.hours[d.Pick("hour", viewHours)])
		})
	}
}

// viewKey draws the key of a view that is not in the future: mostly of the last hour.
func (w *world) viewKey(d simstream.Dice, hour model.Time) model.EventKey {
	newest := min(w.Now(), w.hours[viewHours-1].Add(time.Hour-1))
	at := hour.Add(viewGrid * time.Duration(d.Pick("slot", int(time.Hour/viewGrid))))
	if d.Chance("just now", .6) || at > newest {
		at = newest - newest%model.Time(viewGrid.Milliseconds())
		at = max(w.hours[0], at.Add(-viewGrid*time.Duration([]int{0, 0, 1, 2, 3, 6}[d.Pick("slots ago", 6)])))
	}
	o := model.Order{At: at, ID: []string{"1", "2"}[d.Pick("id", 2)]}
	return model.EventKey{Series: w.kind().Series(site, "", o), Order: o}
}

func viewAttrs(d simstream.Dice) model.Attrs {
	return model.Attrs{
		{Name: "page", Value: model.TextValue([]string{"/", "/x", "/y"}[d.Pick("page", 3)])},
		{Name: "who", Value: model.TextValue([]string{"ann", "bo", ""}[d.Pick("who", 9)/4])},
	}
}

func (w *world) view(name string, d simstream.Dice, hour model.Time) {
	w.sendView(name, d, w.viewKey(d, hour))
}

// sendView sends a view, and some views twice.
func (w *world) sendView(name string, d simstream.Dice, key model.EventKey) {
	view := ingest.TypedObservation{Subject: site, At: key.At, ID: key.ID, Attrs: viewAttrs(d)}
	w.appendAll(name, d, view)
	if d.Chance("sent twice", .2) {
		w.After(d.Span("again after", 3*time.Hour),
			func() { w.appendAll(name+" again", d.Part("again"), view) })
	}
}

func (w *world) correctView(name string, d simstream.Dice, hour model.Time) {
	w.correctTo(name, d, w.existingEvent(d, hour), viewAttrs(d.Part("corrected")))
}

func (w *world) resendView(name string, d simstream.Dice, hour model.Time) {
	key := w.existingEvent(d, hour)
	w.deleteOne(name, d, key)
	w.After(d.Span("resent after", time.Hour), func() { w.sendView(name+" resent", d.Part("resent"), key) })
}

func (w *world) moveView(name string, d simstream.Dice, hour model.Time) {
	w.delete(name, d, hour)
	w.After(d.Span("moved after", time.Minute), func() { w.view(name+" moved", d.Part("moved"), hour) })
}

func (w *world) rebuildSessions(name string, d simstream.Dice, _ model.Time) {
	name += " rebuild"
	w.Go(name, d, func(ctx context.Context) {
		report, err := w.repair.operator(d).Rebuild(ctx, aggregate.Rebuild{
			Series: w.visits().Series(site, "", model.Order{}), From: model.MinTime, To: model.MaxTime,
			RepairOptions: aggregate.RepairOptions{Mark: aggregate.MarkNone},
		})
		w.countReport(&report)
		w.Logf(name, "rebuilt the sessions: %v", err)
	})
}

func (w *world) visits() *catalog.Kind {
	k, _ := w.now.Kind(visitName)
	return k
}
