package aggregate

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sourceChange is a change of an event that sessions are folded from.
type sourceChange struct {
	sessions *catalog.Kind
	series   model.Series // of the sessions
	at       model.Time   // of the event
	keys     []string     // of the event, before and after; nil: unknown
	index    int          // in the batch
	options  *RepairOptions
	other    bool // the kind is not the sessions' own: its events may meet goals of a session
}

// touchSessions adds the buckets of the sessions that a changed event is a source of. An event
// that is only there for goals is part of no other session than the one before it: while it is on
// time, the bucket of that session has an invalidation.
func (c *chunk) touchSessions(kinds []*catalog.Kind, change *storage.Change) {
	for _, kind := range kinds {
		s := kind.SessionSeries(change.Key.Series)
		other := change.Key.Series.Kind != kind.Sessions.Of
		if change.Type != storage.Deleted && !other {
			c.see(kind, s, change.Key.At)
		}
		if !other {
			c.touch(kind, s, change)
		}
		c.sources = append(c.sources, sourceChange{sessions: kind, series: s, at: change.Key.At,
			keys: keysIn(change, kind.Sessions.By), index: c.end, other: other})
	}
}

// keysIn returns the values of a field in the images of a change; nil if one is not known.
func keysIn(change *storage.Change, field string) []string {
	keys := []string{}
	for _, image := range []struct {
		event *model.Event
		has   bool
	}{{change.Before, change.Type != storage.Inserted}, {change.After, change.Type != storage.Deleted}} {
		switch {
		case !image.has:
		case image.event == nil || image.event.Unreadable:
			return nil
		default:
			if v, ok := image.event.Attrs.Get(field); ok && v.Kind == model.Text {
				keys = append(keys, v.Text)
			}
		}
	}
	return keys
}

// walkLate adds the buckets of sessions in which a late change may have changed something: the buckets of the
// first event of its chain and of the next one. A change that is on time has none: each earlier bucket that
// it may touch has an invalidation that will be worked off. The clock is read after the changes were
// committed.
func (a *Aggregator) walkLate(ctx context.Context, c *chunk, all *results) {
	now := max(a.Now(), c.newest)
	late := slices.DeleteFunc(c.sources, func(s sourceChange) bool {
		return s.options == nil && sessions.OnTime(s.sessions, s.at, now, ClockMargin)
	})
	slices.SortStableFunc(late, func(x, y sourceChange) int {
		return cmp.Or(cmp.Compare(x.series.String(), y.series.String()), cmp.Compare(x.at, y.at))
	})
	for len(late) > 0 {
		n := 1
		for n < len(late) && late[n].series == late[0].series &&
			late[n].at <= late[n-1].at.Add(2*late[0].sessions.Sessions.Gap) {
			n++
		}
		w := walk{agg: a, chunk: c, changes: late[:n], kind: late[0].sessions, chains: sessions.Chains{}}
		if err := w.run(ctx, now, all); err != nil {
			all.fail(slices.MinFunc(w.changes, func(x, y sourceChange) int { return x.index - y.index }).index, err)
		}
		late = late[n:]
	}
}

// walk walks the chains of late changes that lie near each other. All are of one series, in order of time.
type walk struct {
	agg     *Aggregator
	chunk   *chunk
	changes []sourceChange
	kind    *catalog.Kind
	chains  sessions.Chains
}

func (w *walk) run(ctx context.Context, now model.Time, all *results) error {
	if err := w.read(ctx); err != nil {
		return readError("walk the sources of late changes", err)
	}
	w.each(func(s sourceChange, around sessions.Walk) {
		if around.HasFirst {
			w.add(s, around.First)
		}
		if around.HasNext && !s.other {
			w.add(s, around.Next)
		}
	})
	for _, s := range w.changes {
		if s.other { // a session may have begun in its millisecond
			w.add(s, s.at)
		}
		if err := w.addExpiring(ctx, s, now); err != nil {
			return readError("read rows around late changes", err)
		}
	}
	all.count(Counts{Walks: len(w.changes)})
	return nil
}

// each calls do for each change and each of its keys; for all keys where they are unknown.
func (w *walk) each(do func(sourceChange, sessions.Walk)) {
	for _, s := range w.changes {
		keys := s.keys
		if keys == nil {
			keys = slices.Collect(maps.Keys(w.chains))
		}
		for _, key := range keys {
			do(s, w.chains.Around(key, s.at, w.kind.Sessions.Gap))
		}
	}
}

// read reads one gap before and after the changes, and then back until every chain has
// begun: at most as far as a session is followed.
func (w *walk) read(ctx context.Context) error {
	gap := w.kind.Sessions.Gap
	from, to := w.changes[0].at.Add(-gap), w.changes[len(w.changes)-1].at.Add(gap)+1
	limit := w.changes[0].at.Add(-w.kind.Sessions.Follow - w.kind.Retention.Finest().Unit.Longest())
	for step := gap; ; step *= 2 {
		if err := w.readBack(ctx, from, to); err != nil {
			return err
		}
		goesOn := false
		w.each(func(s sourceChange, around sessions.Walk) {
			goesOn = goesOn || around.HasFirst && around.First.Add(-gap) < from
		})
		if !goesOn || from <= limit {
			return nil
		}
		from, to = from.Add(-step), from
	}
}

// readBack reads the events of a range, which is before all that were read, into the chains.
func (w *walk) readBack(ctx context.Context, from, to model.Time) error {
	earlier := sessions.Chains{}
	r := storage.Range{From: from, To: to, Consistent: true}
	sources := slices.DeleteFunc(w.kind.SourceSeries(w.changes[0].series), func(s model.Series) bool {
		return s.Kind != w.kind.Sessions.Of
	})
	for e, err := range storage.MergeEvents(ctx, w.agg.Store, sources, r) {
		if err != nil {
			return err
		}
		if key, ok := e.Attrs.Get(w.kind.Sessions.By); ok && key.Kind == model.Text {
			earlier[key.Text] = append(earlier[key.Text], e.At)
		}
	}
	for key, times := range earlier {
		w.chains[key] = append(times, w.chains[key]...)
	}
	return nil
}

// add adds the buckets that contain a time, always to be written.
func (w *walk) add(s sourceChange, at model.Time) {
	if s.options != nil {
		w.chunk.repair(s.index, w.kind, s.series, at, 0, *s.options)
		return
	}
	for _, b := range w.chunk.addBuckets(s.index, w.kind, s.series, at, 0) {
		b.alwaysWrite = true
	}
}

// addExpiring adds the buckets around a change whose sources may be about to expire, because the chain
// between them may have expired already: earlier ones that reach the change, and the next one within a gap.
func (w *walk) addExpiring(ctx context.Context, s sourceChange, now model.Time) error {
	rule, policy := w.kind.Sessions, w.kind.Retention
	unit, raw := policy.Finest().Unit, policy.LeastRawRetention()
	back := rule.Follow + unit.Longest()
	if raw == tier.Forever || now < s.at.Add(raw-back-rule.Gap-2*tier.SealMargin) {
		return nil
	}
	own := unit.BucketAt(s.at)
	span := storage.Range{Series: s.series, From: unit.BucketAt(own.Start.Add(-back)).Start,
		To: s.at.Add(rule.Gap) + 1, Consistent: true}
	rows := paging.Items(func(after string) ([]rollup.Row, string, error) {
		span.After = after
		page, err := w.agg.Store.Rows(ctx, unit, span)
		return page.Rows, page.Next, err
	})
	for row, err := range rows {
		if err != nil {
			return err
		}
		if reaches := row.Key.Start > own.Start ||
			row.Key.Start < own.Start && row.Continuation.Reach >= s.at; exists(&row) && reaches {
			w.add(s, row.Key.Start)
		}
	}
	return nil
}
