package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var _ aggregate.ShareStore = (*store)(nil)

// Counts of checks of groups.
const (
	groupRowsChecked = "rows of groups checked"
	groupRowsExact   = "exact rows of groups"
	groupBucketsRead = "buckets of groups that readers got, checked"
	// lists of members of a row, all together
	groupListsChecked = "rows of groups whose lists of members were recounted"
)

// groupLevels are the groups of one history in twenty, since their sweeps take as long as five other
// histories: sites, and states in sites.
func (w *world) groupLevels() []string {
	if !w.variant.byProfile && !w.dice.Chance("groups", .05) {
		return nil
	}
	if w.byProfile {
		return []string{"site", "profile." + profileField}
	}
	return []string{"site", "site/state"}
}

// Shares reads one page of shares.
func (s *store) Shares(ctx context.Context, bucket rollup.Key, after string) (page rollup.RowPage,
	err error) {
	r := simstream.Request{Verb: "reads shares", Of: rangeName{bucket.Series, bucket.Start},
		Keys: []string{tablekeys.SharePartition(bucket)}}
	err = s.read(ctx, r, func() (err error) {
		page, err = s.table.Shares(context.Background(), bucket, after)
		return err
	})
	return page, err
}

// eventGroups returns the series of the groups in which an event counts, for each kind of groups of a
// catalog.
func (o *oracle) eventGroups(kinds *catalog.Catalog, e *model.Event) map[*catalog.Kind]model.Series {
	kind, _ := kinds.Kind(kindName)
	all := map[*catalog.Kind]model.Series{}
	for _, g := range kind.GroupKinds() {
		if id, ok := g.GroupID(e, o.member(e)); ok {
			all[g] = g.GroupSeries(id, e.Series)
		}
	}
	return all
}

// groupKey returns the key of a row over an event.
func groupKey(series model.Series, t tier.Tier, at model.Time) rollup.Key {
	return rollup.Key{Series: series, Tier: t.Unit.String(), Start: t.Unit.BucketAt(at).Start}
}

// groups checks the rows of groups: each exact row of a bucket that closed by the low watermark of the
// groups is byte-equal to a recount of the events of all members, and none is missing.
func (c *checking) groups() error {
	pending := c.pendingGroups()
	c.readers.quietGroups(pending)
	for _, g := range c.kind().GroupKinds() {
		want := map[rollup.Key]*bucket{}
		for key, e := range c.oracle.events {
			series, in := c.oracle.eventGroups(c.now, &e)[g]
			if !in {
				continue
			}
			for level, t := range g.Retention.Tiers {
				row := groupKey(series, t, key.At)
				if want[row] == nil {
					want[row] = &bucket{level: level, accepted: c.oracle.accepted[key]}
				}
				want[row].events = append(want[row].events, &e)
				want[row].accepted = min(want[row].accepted, c.oracle.accepted[key])
			}
		}
		for _, b := range want {
			b.fold = foldGroup(g, b.level, b.events)
		}
		for _, key := range slices.SortedFunc(maps.Keys(c.rows), byRow) {
			if key.Series.Kind != g.Name || pending.has(key) || !c.closedGroup(g, key) {
				continue
			}
			row, b := c.rows[key], want[key]
			if b == nil {
				b = &bucket{fold: foldGroup(g, 0, nil)}
			}
			c.Count(groupRowsChecked)
			if !row.Exact {
				continue
			}
			c.Count(groupRowsExact)
			if !sameFold(&row.Fold, b.fold) {
				return fmt.Errorf("%s is exact and has %s, but a recount has %s", rowName(key),
					foldName(&row.Fold), foldName(b.fold))
			}
			if err := checkMembers(g, b, row.Summary); err != nil {
				return fmt.Errorf("%s: %w", rowName(key), err)
			}
			c.Count(groupListsChecked)
		}
		for _, key := range slices.SortedFunc(maps.Keys(want), byRow) {
			if err := c.groupPresent(g, key, want[key], pending); err != nil {
				return err
			}
		}
	}
	return nil
}

// closedGroup reports whether readers use the row of a group.
func (c *checking) closedGroup(g *catalog.Kind, key rollup.Key) bool {
	t, level, found := g.Retention.Find(keyUnit(key))
	b := keyUnit(key).BucketAt(key.Start)
	return found && t.HasRow(b) && g.Retention.ClosesAt(level, b, key.Series) <= c.watermarks.For(key.Series)
}

// groupPresent checks that a group's bucket with events has a row, where nothing expires.
func (c *checking) groupPresent(g *catalog.Kind, key rollup.Key, b *bucket, pending groupsPending) error {
	_, stored := c.rows[key]
	t, level, _ := g.Retention.Find(keyUnit(key))
	end := keyUnit(key).BucketAt(key.Start).End
	old := t.LeastRetention() != tier.Forever && end.Add(t.LeastRetention()-slack) <= c.Now()
	if stored || !c.nothingExpires || old || pending.has(key) || !c.closedGroup(g, key) {
		return nil
	}
	for _, t := range g.Retention.Tiers[level+1:] {
		over := groupKey(key.Series, t, key.Start)
		if row, exists := c.rows[over]; exists && !row.Exact || !c.closedGroup(g, over) || pending.has(over) {
			return nil
		}
	}
	return fmt.Errorf("%s is missing, and no coarser row is inexact; its events are %s", rowName(key),
		foldName(b.fold))
}

// groupsPending are buckets of groups that need not have all changes yet: of all groups, those with a member
// whose row is pending, and of single groups, those that wait in the queue.
type groupsPending map[rollup.Key]bool

func (p groupsPending) has(key rollup.Key) bool {
	return p[key] || p[rollup.Key{Tier: key.Tier, Start: key.Start}]
}

func (c *checking) pendingGroups() groupsPending {
	pending := groupsPending{}
	for key := range c.pending {
		for _, g := range c.kind().GroupKinds() {
			for _, t := range g.Retention.Tiers {
				if t.Unit.Compare(keyUnit(key)) >= 0 {
					pending[groupKey(model.Series{}, t, key.Start)] = true
				}
			}
		}
	}
	for key := range c.oracle.unknown {
		for _, t := range c.kind().Retention.Tiers {
			pending[groupKey(model.Series{}, t, key.At)] = true
		}
	}
	page, _ := c.table.Invalidations(context.Background(), storage.GroupShard, model.MaxTime, "")
	for _, i := range page.Invalidations {
		if g, found := c.now.Kind(i.Key.Series.Kind); found &&
			i.Due > c.watermarks.ForShard(storage.GroupShard) {
			for _, t := range g.Retention.Tiers {
				if t.Unit.Compare(keyUnit(i.Key)) >= 0 {
					pending[groupKey(i.Key.Series, t, i.Key.Start)] = true
				}
			}
		}
	}
	return pending
}

// quietGroups notes that every change so far is in the rows of groups, except in pending ones.
func (r *readers) quietGroups(pending groupsPending) { r.pendingGroups = pending }

// readGroup reads the rows of a group in one tier around an hour.
func (w *world) readGroup(name string, d simstream.Dice, hour model.Time) {
	kinds, skew := w.now, d.Span("reader's clock", aggregate.ClockMargin)-aggregate.ClockMargin/2
	member, _ := kinds.Kind(kindName)
	if len(member.GroupKinds()) == 0 || w.before != nil {
		return
	}
	w.Go(name+" reads a group", d, func(ctx context.Context) {
		// The last one is not of profiles, whose moves are no changes of events.
		kind := member.GroupKinds()[len(member.GroupKinds())-1]
		tiers := kind.Retention.Tiers
		around := tiers[len(tiers)-1].Unit.BucketAt(hour)
		a := received{
			readers: w.readers, kind: kind, level: d.Pick("tier",
				len(tiers)), from: around.Start, to: around.End,
			series:    kind.GroupSeries(sites[d.Pick("site", len(sites))], model.Series{}),
			processed: w.readers.processed, began: len(w.readers.changes),
			rows: map[model.Time]*query.Rollup{},
		}
		pending := w.readers.pendingGroups
		swept, _ := w.table.Sweeps(context.Background()) // a table in memory does not fail
		now := func() model.Time { return w.Now().Add(skew) }
		live := &query.Live{Store: readable{w.table, w.store}, Watermarks: w.store,
			Kind: query.CatalogKinds(kinds), Now: now}
		switch err := a.get(ctx, &query.Service{Store: live, Now: now}, d.Chance("newest first", .3)); {
		case errors.Is(err, errTwice):
			w.Fail(err)
		case err == nil && w.before == nil:
			w.Fail(a.checkGroup(pending, swept.For(a.series)))
		}
	})
}

// checkGroup checks each bucket that had closed when the read began: it has the events of a set between the
// changes that were processed, or on time, before the read, and those that were committed by its end.
func (a *received) checkGroup(pending groupsPending, through model.Time) error {
	buckets := map[model.Time]map[model.EventKey]*versions{}
	for start := range a.rows {
		buckets[start] = map[model.EventKey]*versions{}
	}
	for i, c := range a.changes {
		start := a.unit().BucketAt(c.key.At).Start
		if start < a.from || start >= a.to {
			continue
		}
		if buckets[start] == nil {
			buckets[start] = map[model.EventKey]*versions{}
		}
		v := buckets[start][c.key]
		if v == nil {
			v = &versions{possible: []*model.Event{nil}}
			buckets[start][c.key] = v
		}
		if i < a.processed || c.onTime && i < a.began {
			v.possible = v.possible[:0]
		}
		to := c.to
		if to != nil {
			if id, in := a.kind.GroupID(to, nil); !in || id != a.series.Subject.ID {
				to = nil
			}
		}
		v.possible = append(v.possible, to)
	}
	for key := range a.oracle.unknown {
		delete(buckets, a.unit().BucketAt(key.At).Start)
	}
	for start, events := range buckets {
		b := a.unit().BucketAt(start)
		if key := groupKey(a.series, a.kind.Retention.Tiers[a.level], start); pending.has(key) ||
			a.kind.Retention.ClosesAt(a.level, b, a.series) > through {
			continue
		}
		if err := a.bucket(b, events); err != nil {
			return fmt.Errorf("group: %w", err)
		}
		a.Count(groupBucketsRead)
	}
	return nil
}
