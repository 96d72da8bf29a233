package simulation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counts of the rollups of sessions that were checked.
const (
	sessionsSettled = "settled rollups of sessions"
	sessionsOpen    = "open rollups of sessions"
	sessionsCarried = "rollups with sessions carried in"
	sessionsInexact = "inexact rollups of sessions"
)

// checkSessions checks that what readers get of sessions equals a recount, once all records are
// delivered and repaired: each figure of a bucket whose sessions have ended, and of any other the
// number of its sessions.
func (w *world) checkSessions() error {
	w.Count("checks")
	if len(w.repair.pending) > 0 {
		return nil
	}
	w.readers.quiet(nil)
	live := &query.Live{Store: w.table, Watermarks: w.table, Kind: query.CatalogKinds(w.now), Now: w.Now}
	service := &query.Service{Store: live, Now: w.Now}
	views := byVisitor(slices.Collect(maps.Values(w.oracle.events)))
	for _, t := range w.visits().Retention.Tiers {
		buckets := map[tier.Bucket]bool{}
		for _, hour := range w.hours {
			b := t.Unit.BucketAt(hour)
			if buckets[b] {
				continue
			}
			buckets[b] = true
			if err := w.checkBucket(service, b, countSessions(views, b)); err != nil {
				return fmt.Errorf("%s: %w", b, err)
			}
		}
	}
	return nil
}

func (w *world) checkBucket(service *query.Service, b tier.Bucket, want sessionCount) error {
	page, err := service.Rollups(context.Background(), query.Rollups{Series: query.Series{Kind: w.visits(),
		Subject: site}, Unit: b.Unit, From: b.Start, To: b.End})
	switch {
	case err != nil:
		return err
	case len(page.Rollups) == 0 && want.views > 0 && w.viewsLast():
		return fmt.Errorf("no rollup, want %+v", want)
	case len(page.Rollups) == 0:
		return nil
	}
	r := &page.Rollups[0]
	got := countIn(&r.Fold)
	switch {
	case !r.Exact && w.viewsLast():
		return fmt.Errorf("%+v is inexact, and no view has expired", got)
	case !r.Exact:
		w.Count(sessionsInexact)
		return nil
	case r.Open:
		w.Count(sessionsOpen)
		got, want = got.soFar(), want.soFar()
	default:
		w.Count(sessionsSettled)
	}
	if want.carried > 0 {
		w.Count(sessionsCarried)
	}
	if got != want {
		return fmt.Errorf("exact, open %v: %+v, want %+v", r.Open, got, want)
	}
	return nil
}

// viewsLast reports whether no view can have expired yet. A history in which nothing expires may still go on
// for longer than views live: sweeps may have been dead for so long.
func (w *world) viewsLast() bool {
	return w.nothingExpires && w.Now() < w.hours[0].Add(w.kind().Retention.Raw-2*tier.SealMargin)
}

// byVisitor returns the views of each visitor, in order of time.
func byVisitor(events []model.Event) map[string][]model.Event {
	all := map[string][]model.Event{}
	for _, e := range events {
		who, _ := e.Attrs.Get("who")
		all[who.Text] = append(all[who.Text], e)
	}
	for _, views := range all {
		slices.SortFunc(views, func(x, y model.Event) int {
			return cmp.Or(x.Compare(y.Order), cmp.Compare(x.Series.Shard, y.Series.Shard))
		})
	}
	return all
}

// sessionCount is what is compared of the rollup of a bucket.
type sessionCount struct {
	views                            int64 // in the bucket, also those without a visitor
	begun, carried                   int64
	viewed, duration, bounces, goals int64 // of the sessions that began in the bucket
	entries, exits                   string
}

// soFar returns what does not change while the sessions of the bucket go on.
func (n sessionCount) soFar() sessionCount {
	return sessionCount{views: n.views, begun: n.begun, carried: n.carried}
}

func countIn(f *rollup.Fold) sessionCount {
	sum := func(name string) int64 {
		m, _ := f.Summary.Measure(name)
		return int64(m.Sum.Float64())
	}
	pages := func(name string) string {
		counts := map[string]int64{}
		d, _ := f.Summary.Dimension(name)
		for _, v := range d.Values {
			counts[v.Value] = int64(v.Count)
		}
		return fmt.Sprint(counts)
	}
	return sessionCount{
		views: int64(f.Continuation.Events), begun: f.Summary.Events(), carried: f.Continuation.Carried,
		viewed: sum("views"), duration: sum("duration"), bounces: sum("bounce"), goals: sum("goal_x"),
		entries: pages("entry"), exits: pages("exit"),
	}
}

// countSessions counts the sessions of a bucket view by view.
func countSessions(views map[string][]model.Event, b tier.Bucket) (n sessionCount) {
	entries, exits := map[string]int64{}, map[string]int64{}
	for who, all := range views {
		for i, first := range all {
			if !b.Contains(first.At) {
				continue
			}
			n.views++
			begins := i == 0 || first.At.Sub(all[i-1].At) > sessionGap
			switch {
			case who == "":
			case begins:
				last := n.add(all[i:])
				entries[pageField(first)]++
				exits[pageField(last)]++
			case all[i-1].At < b.Start:
				n.carried++
			}
		}
	}
	n.entries, n.exits = fmt.Sprint(entries), fmt.Sprint(exits)
	return n
}

// add adds the session that begins with the first of some views of a visitor, and returns its last
// one.
func (n *sessionCount) add(views []model.Event) (last model.Event) {
	first, until := views[0], tier.Hour.BucketAt(views[0].At).End.Add(followed)
	last = first
	viewed, met := int64(0), int64(0)
	for end, i := first.At, 0; i < len(views) && views[i].At.Sub(end) <= sessionGap && views[i].At < until; i++ {
		end, last = views[i].At, views[i]
		viewed++
		if pageField(last) == "/x" {
			met = 1
		}
	}
	n.begun++
	n.viewed += viewed
	n.goals += met
	n.duration += last.At.Sub(first.At).Milliseconds()
	if viewed == 1 {
		n.bounces++
	}
	return last
}

func pageField(e model.Event) string {
	page, _ := e.Attrs.Get("page")
	return page.Text
}
