package aggregate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// groupedGauge is a kind with groups by site, and by line in a site.
func groupedGauge(deferredFrom int) catalog.Kind {
	k := deferred(gauge, deferredFrom)
	k.Groups = []string{"site", "site/line"}
	return k
}

// fleet is a world with members of groups.
type fleet struct {
	*world
	events map[model.EventKey]model.Event
	logs   map[model.Subject]storage.Memberships // of the groups by profiles
}

func newFleet(t *testing.T, kind catalog.Kind) *fleet {
	return &fleet{
		world: newWorldWith(t, kind), events: map[model.EventKey]model.Event{},
		logs: map[model.Subject]storage.Memberships{},
	}
}

func (f *fleet) member(device, when, site, value string) model.Event {
	attrs := model.Attrs{
		{Name: "line", Value: model.TextValue("1")}, {Name: "site", Value: model.TextValue(site)},
		{Name: "value", Value: model.NumberValue(model.MustDecimal(value))},
	}
	o := order(when, "")
	return model.Event{
		Series: f.kind.Series(device, "", o), Order: o, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: f.now(), ExpiresAt: f.kind.Retention.EventExpiresAt(f.now()),
	}
}

// send stores an event, or corrects it if it is stored.
func (f *fleet) send(e model.Event) {
	f.t.Helper()
	if _, stored := f.events[e.Key()]; stored {
		if result, err := f.table.CorrectEvent(f.ctx(), e, f.now()); err != nil || result != storage.Written {
			f.t.Fatal(result, err)
		}
	} else if result, err := f.table.Put(f.ctx(), e); err != nil || result.Result != storage.Written {
		f.t.Fatal(result, err)
	}
	f.events[e.Key()] = e
}

// recorded returns the changes since the last call with their images, as the table stream delivers them.
func (f *fleet) recorded() []storage.Change {
	records := f.table.Records(f.seen)
	f.seen += uint64(len(records))
	var events []memory.Record
	for _, r := range records {
		if _, err := keys.ParseEvent(r.Keys); err == nil {
			events = append(events, r)
		}
	}
	changes := decodeChanges(events)
	for i, r := range events {
		if e, err := item.Event(r.Old); err == nil && r.Old != nil {
			changes[i].Before = &e
		}
		if e, err := item.Event(r.New); err == nil && r.New != nil {
			changes[i].After = &e
		}
	}
	return changes
}

// sweepAll sweeps all members and then the groups, at a time and until nothing is due.
func (f *fleet) sweepAll(at model.Time) {
	f.t.Helper()
	f.setNow(at)
	for range 6 {
		shards, err := f.agg.QueueShards(f.ctx())
		if err != nil {
			f.t.Fatal(err)
		}
		for _, shard := range shards {
			if report, err := f.agg.Sweep(f.ctx(), shard.QueueShard); err != nil || len(report.Failures) > 0 {
				f.t.Fatal(err, report.Failures)
			}
		}
	}
}

// groupRow returns the stored row of a group; nil if there is none.
func (f *fleet) groupRow(kind, id string, u tier.Unit, when string) *rollup.Row {
	f.t.Helper()
	key := rollup.Key{Tier: u.String(), Start: u.BucketAt(at(when)).Start}
	key.Series = model.Series{Subject: model.Subject{Type: kind[len("GAUGE_"):], ID: id}, Kind: kind}
	row, err := f.table.Row(f.ctx(), key)
	if err != nil {
		f.t.Fatal(err)
	}
	return row
}

func (f *fleet) wantGroup(id string, u tier.Unit, when string, count int64, exact bool) {
	f.t.Helper()
	row, got := f.groupRow("GAUGE_BY_SITE", id, u, when), int64(0)
	if row != nil && !row.Empty {
		got = row.Summary.Events()
	}
	if got != count || row != nil && row.Exact != exact {
		f.t.Errorf("%s %s of group %s: %d events, row %+v; want %d, exact %v", u, when, id, got, row, count,
			exact)
	}
}

// Every bucket of every group in every tier is byte-equal to a recount of the events, after moves between
// groups, deletions, late changes, repetitions and any cuts of batches.
func TestGroups_EveryBucketEqualsARecountOfTheEvents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 42))
			f := newFleet(t, groupedGauge(draw.IntN(4)))
			start := at("2026-03-10T12:00:00Z")
			var pending []storage.Change
			for n := range 160 {
				f.setNow(start.Add(time.Duration(n) * 20 * time.Minute))
				device, site := fmt.Sprint("d", draw.IntN(6)), []string{"x", "y", "z"}[draw.IntN(3)]
				late := f.now().Add(-time.Duration(draw.IntN(50)) * time.Hour * time.Duration(draw.IntN(2)))
				e := f.member(device,
					tier.Hour.BucketAt(late).Start.Add(time.Duration(draw.IntN(3))*time.Minute).String(),
					site, fmt.Sprint(draw.IntN(90)))
				if draw.IntN(9) == 0 {
					for k := range f.events {
						f.deleteEvent(k)
						break
					}
				}
				f.send(e)
				pending = append(pending, f.recorded()...)
				for len(pending) > draw.IntN(30) {
					n := 1 + draw.IntN(len(pending))
					f.processAll(pending[:n])
					if draw.IntN(3) > 0 {
						pending = pending[n:]
					}
				}
				if draw.IntN(4) == 0 {
					f.sweepAll(f.now())
				}
			}
			f.processAll(pending)
			f.sweepAll(start.Add(40 * tier.Day24 / 2))
			f.wantRecount(100)
		})
	}
}

func (f *fleet) deleteEvent(k model.EventKey) {
	f.t.Helper()
	if result, err := f.table.DeleteEvent(f.ctx(), k, f.now()); err != nil || result != storage.Written {
		f.t.Fatal(result, err)
	}
	delete(f.events, k)
}

// recount folds the events by group, bucket and member, and these into all buckets that have closed.
func (f *fleet) recount() map[rollup.Key]*rollup.Fold {
	shares, rows := map[rollup.Key]*rollup.Fold{}, map[rollup.Key]*rollup.Fold{}
	for _, g := range f.kind.GroupKinds() {
		for _, e := range f.events {
			log := f.logs[e.Series.Subject]
			id, in := g.GroupID(&e, log.At(tier.Hour.BucketAt(e.At).Start))
			if !in {
				continue
			}
			finest := g.Retention.Tiers[0].Unit
			key := rollup.Key{Series: g.GroupSeries(id, e.Series), Tier: finest.String(),
				Start: finest.BucketAt(e.At).Start, Member: tablekeys.Member(e.Series.Subject)}
			foldAt(shares, key, g).AddEvent(&e)
		}
	}
	for share, fold := range shares {
		g, _ := f.agg.Catalog.Kind(share.Series.Kind)
		hour := share
		hour.Member = ""
		foldAt(rows, hour, g).AddRow(&rollup.Row{Key: share, Fold: *fold})
	}
	for hour, fold := range maps.Clone(rows) {
		g, _ := f.agg.Catalog.Kind(hour.Series.Kind)
		for level, t := range g.Retention.Tiers {
			b := t.Unit.BucketAt(hour.Start)
			key := rollup.Key{Series: hour.Series, Tier: t.Unit.String(), Start: b.Start}
			if level > 0 {
				foldAt(rows, key, g).AddRow(&rollup.Row{Fold: *fold})
			}
			if g.Retention.ClosesAt(level, b, key.Series) > f.now().Add(-time.Hour) {
				delete(rows, key)
			}
		}
	}
	return rows
}

// foldAt returns the fold of a key, creating it if needed.
func foldAt(folds map[rollup.Key]*rollup.Fold, key rollup.Key, kind *catalog.Kind) *rollup.Fold {
	if folds[key] == nil {
		folds[key] = rollup.NewFold(kind.Spec())
	}
	return folds[key]
}

// wantRecount compares the rows of groups that have closed with the events: at least so many.
func (f *fleet) wantRecount(least int) {
	f.t.Helper()
	want, got := f.recount(), 0
	for _, it := range f.items() {
		row, err := item.Row(it)
		if err != nil || row.Empty || row.Key.Series.Kind == f.kind.Name {
			continue
		}
		got++
		w := want[row.Key]
		if delete(want, row.Key); w == nil {
			f.t.Errorf("%v has %d events, want no row", row.Key, row.Summary.Events())
		} else if !row.Exact || row.Digest != w.Digest ||
			!bytes.Equal(row.Summary.Encode(nil), w.Summary.Encode(nil)) {
			f.t.Errorf("%v: exact %v, %d events; want %d", row.Key, row.Exact, row.Summary.Events(),
				w.Summary.Events())
		}
	}
	if got < least || len(want) > 0 {
		f.t.Errorf("%d rows of groups, %d are missing", got, len(want))
	}
}

var errStopped = errors.New("stopped")

// stopsAtRow fails when the row of a member would be written.
type stopsAtRow struct{ *memory.Table }

func (s stopsAtRow) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult,
	error) {
	if row.Key.Member == "" && row.Key.Series.Kind == gauge.Name {
		return 0, errStopped
	}
	return s.Table.PutRow(ctx, row, prev)
}

// A duplicate writes the share of a group and stops before the row that would remember it. The event moves
// on: its record names the group that it left.
func TestGroups_ARecordNamesTheGroupThatAnEventLeft(t *testing.T) {
	t.Parallel()
	for _, deferredFrom := range []int{0, 3} {
		f := newFleet(t, groupedGauge(deferredFrom))
		f.setNow(at("2026-03-10T12:05:00Z"))
		f.send(f.member("d1", "2026-03-10T12:01:00Z", "x", "1"))
		first := f.recorded()
		f.setNow(at("2026-03-10T14:00:00Z"))
		f.on(stopsAtRow{f.table})
		if report := f.agg.Process(f.ctx(), first); len(report.Failures) != 1 || report.Shares != 2 {
			t.Fatalf("%+v", report)
		}
		f.on(f.table)
		f.send(f.member("d1", "2026-03-10T12:01:00Z", "y", "1"))
		f.processAll(f.recorded())
		f.sweepAll(at("2026-03-13T12:00:00Z"))
		f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 0, true)
		f.wantGroup("y", tier.Hour, "2026-03-10T12:00:00Z", 1, true)
		f.wantGroup("y", tier.Day, "2026-03-10T12:00:00Z", 1, true)
	}
}

// The list has the hour of an event that has left the group, and says that it is gone.
func TestGroups_TheListSaysThatTheNewestBucketIsEmpty(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	for _, hour := range []string{"10", "12"} {
		f.setNow(at("2026-03-10T" + hour + ":05:00Z"))
		f.send(f.member("d1", "2026-03-10T"+hour+":01:00Z", "x", "1"))
		f.processAll(f.recorded())
	}
	want := func(removed model.Time) {
		t.Helper()
		group := model.Series{Subject: model.Subject{Type: "BY_SITE", ID: "x"}, Kind: "GAUGE_BY_SITE"}
		got := f.listed()[group]
		if got.Last != at("2026-03-10T12:00:00Z") || got.Removed != removed {
			t.Errorf("listed %+v, want %s removed", got, removed)
		}
	}
	f.sweepAll(at("2026-03-10T14:00:00Z"))
	want(0)
	f.send(f.member("d1", "2026-03-10T10:01:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(at("2026-03-10T15:00:00Z"))
	want(0) // an earlier bucket does not concern it
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(at("2026-03-10T16:00:00Z"))
	want(at("2026-03-10T12:00:00Z"))
}

// The same while the bucket is open: the sweep knows the group by the invalidation.
func TestGroups_AnInvalidationNamesTheGroupThatAnEventLeft(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T12:05:00Z"))
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "x", "1"))
	first := f.recorded()
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "y", "1"))
	second := f.recorded()
	// a fast clock takes the bucket for closed, reads the event in x, and stops
	f.setNow(at("2026-03-10T13:00:01Z"))
	f.on(beforeMove{stopsAtRow{f.table}, *first[0].After})
	if report := f.agg.Process(f.ctx(), first); len(report.Failures) != 1 {
		t.Fatalf("%+v", report)
	}
	f.on(f.table)
	f.setNow(at("2026-03-10T12:59:00Z"))
	f.processAll(second)
	f.processAll(first)
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 0, true)
	f.wantGroup("y", tier.Hour, "2026-03-10T12:00:00Z", 1, true)
}

// A duplicate has read an event, which is then deleted. The recount of the deletion finds neither an event
// nor a share, and writes the share all the same. So the duplicate, which would stop before the row, cannot
// write it any more.
func TestGroups_ADeletionWritesTheShareThatItFinds(t *testing.T) {
	t.Parallel()
	for _, deferredFrom := range []int{0, 3} {
		f := newFleet(t, groupedGauge(deferredFrom))
		f.sweepAll(at("2026-03-10T14:00:00Z"))
		e := f.member("d1", "2026-03-10T12:01:00Z", "x", "1")
		f.send(e)
		inserted := f.recorded()
		f.on(&stallsAfterEvents{stopsAtRow: stopsAtRow{f.table}, meanwhile: func() {
			f.on(f.table)
			f.deleteEvent(e.Key())
			f.processAll(f.recorded())
			f.on(stopsAtRow{f.table})
		}})
		if report := f.agg.Process(f.ctx(), inserted); report.LostLocks != 1 {
			t.Errorf("%+v", report)
		}
		f.on(f.table)
		f.sweepAll(at("2026-03-13T12:00:00Z"))
		f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 0, true)
		f.wantGroup("x", tier.Day, "2026-03-10T12:00:00Z", 0, true)
	}
}

// stallsAfterEvents runs something after a read of events.
type stallsAfterEvents struct {
	stopsAtRow
	meanwhile func() // may set another store for what follows
}

func (s *stallsAfterEvents) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := s.stopsAtRow.Events(ctx, r)
	s.meanwhile()
	return page, err
}

// beforeMove reads an event as it was before it moved.
type beforeMove struct {
	stopsAtRow
	was model.Event
}

func (b beforeMove) Events(context.Context, storage.Range) (storage.EventPage, error) {
	return storage.EventPage{Events: []model.Event{b.was}}, nil
}

func (b beforeMove) EachEvent(_ context.Context, _ storage.Range, do func(*model.Event)) (string, error) {
	do(&b.was)
	return "", nil
}

// A purge finds the rows of groups that have a member by its rows, also where its hours have expired.
func TestGroups_RowsOfMembersNameTheirGroupsInEveryTier(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T15:00:00Z"))
	f.send(f.member("d1", "2026-03-10T12:10:00Z", "x", "1"))
	f.send(f.member("d1", "2026-03-10T14:10:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(at("2026-04-02T12:00:00Z"))
	x := []string{"GAUGE_BY_SITE#x", "GAUGE_BY_SITE_LINE#x/1"}
	y := []string{"GAUGE_BY_SITE#y", "GAUGE_BY_SITE_LINE#y/1"}
	both := []string{x[0], y[0], x[1], y[1]}
	series := f.kind.Series("d1", "", order("2026-03-10T12:10:00Z", ""))
	for _, c := range []struct {
		unit tier.Unit
		when string
		want []string
	}{
		{tier.Hour, "2026-03-10T12:00:00Z", x}, {tier.Hour, "2026-03-10T14:00:00Z", y},
		{tier.Day, "2026-03-10T00:00:00Z", both}, {tier.Month, "2026-03-01T00:00:00Z", both},
	} {
		key := rollup.Key{Series: series, Tier: c.unit.String(), Start: at(c.when)}
		row, err := f.table.Row(f.ctx(), key)
		if err != nil || row == nil || !slices.Equal(row.Groups, c.want) {
			t.Errorf("%s %s: %+v, %v; want groups %q", c.unit, c.when, row, err, c.want)
		}
	}
	report := f.agg.Recompute(f.ctx(), []aggregate.Target{{Series: series, At: at("2026-03-10T12:10:00Z")}},
		aggregate.RepairOptions{DryRun: true})
	if report.Changed > 0 || report.Unchanged == 0 || len(report.Failures) > 0 {
		t.Errorf("a dry run reports %+v, want no difference", report)
	}
}

func TestGroups_OneMemberInManyGroupsCountsInTheOther(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T12:05:00Z"))
	for n := range reserved.MaxGroups + 4 {
		f.send(f.member("d1", fmt.Sprintf("2026-03-10T12:%02d:00Z", n), fmt.Sprintf("s%02d", n), "1"))
	}
	f.processAll(f.recorded())
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantGroup("s15", tier.Hour, "2026-03-10T12:00:00Z", 1, true)
	f.wantGroup("s16", tier.Hour, "2026-03-10T12:00:00Z", 0, true)
	f.wantGroup(reserved.OtherGroup, tier.Hour, "2026-03-10T12:00:00Z", 4, true)
}

// One queue shard of members that is not swept holds all groups back.
func TestGroups_WaitForTheSweepsOfAllMembers(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T12:05:00Z"))
	e := f.member("d1", "2026-03-10T12:01:00Z", "x", "1")
	f.send(e)
	f.processAll(f.recorded())
	f.setNow(at("2026-03-10T15:00:00Z"))
	swept := 0
	for _, shard := range append(storage.FirstGeneration.QueueShards(), storage.GroupShard) {
		if shard == storage.FirstGeneration.Shard(e.Series) {
			continue
		}
		report, err := f.agg.Sweep(f.ctx(), shard)
		if err != nil {
			t.Fatal(err)
		}
		swept += report.Swept
	}
	if marks, err := f.table.Sweeps(f.ctx()); err != nil || swept != 0 ||
		marks.ForShard(storage.GroupShard) != model.MinTime {
		t.Errorf("swept %d, low watermark of groups %s: %v", swept, marks.ForShard(storage.GroupShard), err)
	}
	f.sweepAll(at("2026-03-10T15:01:00Z"))
	f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 1, true)
}

// A change of a sealed bucket makes the rows of its groups inexact, also of a group that the bucket never
// had.
func TestGroups_ASealedBucketMarksTheRowsOfItsGroups(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T12:05:00Z"))
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "x", "1"))
	f.send(f.member("d2", "2026-03-10T12:01:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(at("2026-03-12T12:00:00Z"))
	f.wantGroup("y", tier.Hour, "2026-03-10T12:00:00Z", 1, true)
	sealed := at("2026-03-10T12:05:00Z").Add(f.kind.Retention.Raw)
	f.setNow(sealed)
	f.table.ExpireWhere(f.now(), func(k keys.Key) bool { _, err := keys.ParseEvent(k); return err == nil })
	f.recorded()
	f.send(f.member("d1", "2026-03-10T12:02:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(sealed.Add(time.Hour))
	f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 1, false)
	f.wantGroup("y", tier.Hour, "2026-03-10T12:00:00Z", 1, false)
	f.wantGroup("y", tier.Day, "2026-03-10T12:00:00Z", 1, false)
}

// The record of a deletion was lost, and its hour is recomputed when the rows of the hour have expired, the
// member's and the group's. The day of the member names the group, whose day may have the event.
func TestGroups_AnExpiredBucketMarksTheGroupsThatItsDayNames(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.setNow(at("2026-03-10T12:05:00Z"))
	lost := f.member("d1", "2026-03-10T12:01:00Z", "x", "1")
	f.send(lost)
	f.send(f.member("d2", "2026-03-10T12:01:00Z", "y", "1"))
	f.processAll(f.recorded())
	f.sweepAll(at("2026-03-12T12:00:00Z"))
	f.setNow(at("2026-03-30T12:00:00Z"))
	result, err := f.table.DeleteEvent(f.ctx(), lost.Key(), f.now())
	if err != nil || result != storage.Written {
		t.Fatal(result, err)
	}
	f.recorded()
	f.setNow(at("2026-06-20T12:00:00Z"))
	f.table.Expire(f.now())
	if row := f.groupRow("GAUGE_BY_SITE", "x", tier.Hour, "2026-03-10T12:00:00Z"); row != nil {
		t.Fatalf("the hour of the group has not expired: %+v", row)
	}
	f.wantGroup("x", tier.Day, "2026-03-10T12:00:00Z", 1, true)

	targets := []aggregate.Target{{Series: lost.Series, At: lost.At}}
	if r := f.agg.Recompute(f.ctx(), targets, aggregate.RepairOptions{}); len(r.Failures) > 0 {
		t.Fatal(r.Failures[0].Err)
	}
	f.sweepAll(f.now().Add(time.Hour))
	f.wantGroup("x", tier.Day, "2026-03-10T12:00:00Z", 1, false)
	f.wantGroup("x", tier.Month, "2026-03-10T12:00:00Z", 1, false)
	f.wantGroup("y", tier.Day, "2026-03-10T12:00:00Z", 1, true)
}

// A late change of a closed bucket waits for the end of a tick, and many wait together.
func TestGroups_LateChangesAreFoldedOnceInATick(t *testing.T) {
	t.Parallel()
	f := newFleet(t, groupedGauge(0))
	f.sweepAll(at("2026-03-10T16:01:00Z"))
	for n := range 20 {
		f.send(f.member(fmt.Sprint("d", n), "2026-03-10T12:01:00Z", "x", "1"))
		f.processAll(f.recorded())
	}
	page, err := f.table.Invalidations(f.ctx(), storage.GroupShard, model.MaxTime, "")
	due := func(i storage.Invalidation) string { return i.Key.Series.Subject.ID + " " + i.Due.String() }
	var got []string
	for _, i := range page.Invalidations {
		got = append(got, due(i))
	}
	slices.Sort(got)
	if want := []string{"x 2026-03-10T16:05:00.000Z", "x/1 2026-03-10T16:05:00.000Z"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	f.sweepAll(at("2026-03-10T16:08:00Z"))
	f.wantGroup("x", tier.Hour, "2026-03-10T12:00:00Z", 20, true)
}

var _ aggregate.ShareStore = (*memory.Table)(nil)
