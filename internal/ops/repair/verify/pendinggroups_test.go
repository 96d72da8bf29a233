package verify

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// tested14 is the hour of the members' readings.
var tested14 = eventAt("2026-04-20T14:00:00Z", 0).At

// site is the group of the members of these tests.
var site = model.Series{Subject: model.Subject{Type: "BY_SITE", ID: "berlin"}, Kind: "READING_BY_SITE"}

// fleet is a fixture with groups by site, whose clock moves. Its rows are settled for three members.
type fleet struct {
	*fixture
	at model.Time
}

func newFleet(t *testing.T) *fleet {
	kind := *testKind(t)
	kind.Groups = []string{"site"}
	kind.Retention = tier.Standard()
	f := &fleet{fixture: newFixture(t, &kind), at: eventAt("2026-04-20T14:05:00Z", 0).At}
	f.useClock()
	for _, id := range []string{"a", "b", "c"} {
		f.process(f.reading(id, "2026-04-20T14:00:00Z"))
	}
	f.at = eventAt("2026-04-20T16:30:00Z", 0).At
	f.sweep()
	if got := f.found(Equal); got["hour"] != 1 {
		t.Fatalf("equal rows of the group: %v, want an hour", got)
	}
	return f
}

// useClock gives the fixture the clock that moves.
func (f *fleet) useClock() {
	f.now = func() model.Time { return f.at }
	f.Table = memory.New(f.now)
	f.agg.Now = f.now
	f.agg.Store, f.agg.QuarantineStore = f.Table, f.Table
}

// reading returns an event of a member of the site.
func (f *fleet) reading(id, at string) model.Event {
	e := eventAt(at, 7)
	e.Series.Subject.ID = id
	e.Attrs = append(model.Attrs{{Name: "site", Value: model.TextValue("berlin")}}, e.Attrs...)
	e.Hash, e.ArrivedAt = model.HashAttrs(e.Attrs), f.at
	return e
}

// sweep sweeps the members, and then the groups.
func (f *fleet) sweep() {
	f.Helper()
	for range 2 {
		shards, err := f.agg.QueueShards(f.Context())
		if err != nil {
			f.Fatal(err)
		}
		for _, shard := range shards {
			if r, err := f.agg.Sweep(f.Context(), shard.QueueShard); err != nil || len(r.Failures) > 0 {
				f.Fatal(err, r.Failures)
			}
		}
	}
}

// group verifies the rows of the group.
func (f *fleet) group() *Report {
	f.Helper()
	return f.verify(Verifier{}, Scope{Span: Always, Subject: site.Subject})
}

func (f *fleet) found(s Status) map[string]int { return statuses(f.group(), s) }

// arriveLate lets a late event of a member arrive in its row and share, an hour after the last sweep.
func (f *fleet) arriveLate() {
	f.Helper()
	f.at = f.at.Add(time.Hour)
	late := f.reading("b", "2026-04-20T14:20:00Z")
	f.process(late)
	f.at = f.at.Add(6 * time.Minute)
	f.sweepMembers()
}

// sweepMembers sweeps the members alone, whose late changes wait for a tick.
func (f *fleet) sweepMembers() {
	f.Helper()
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if r, err := f.agg.Sweep(f.Context(), shard); err != nil || len(r.Failures) > 0 {
			f.Fatal(err, r.Failures)
		}
	}
}

// removeShare removes the share of member b of an hour behind aggregate's back.
func (f *fleet) removeShare(hour model.Time) {
	f.Helper()
	share := rollup.Key{Series: site, Tier: "hour", Start: hour,
		Member: tablekeys.Member(f.reading("b", "2026-04-20T14:00:00Z").Series.Subject)}
	if row, err := f.Row(f.Context(), share); err != nil || row == nil {
		f.Fatalf("share %v: %v, %v", share, row, err)
	}
	if err := f.DeleteItem(f.Context(), tablekeys.Row(share)); err != nil {
		f.Fatal(err)
	}
}

// notify puts the invalidation of an hour of a group, due at the end of a tick.
func (f *fleet) notify(group model.Series, hour model.Time) {
	f.Helper()
	i := storage.Invalidation{Due: f.at.Add(5 * time.Minute), Shard: storage.GroupShard,
		Key: rollup.Key{Series: group, Tier: "hour", Start: hour}}
	left, result, err := f.PutInvalidations(f.Context(), []storage.Invalidation{i})
	if err != nil || result != storage.Written || len(left) > 0 {
		f.Fatal(left, result, err)
	}
}

func TestVerify_AGroupWhoseSharesAreAheadOfItsRowIsPending(t *testing.T) {
	f := newFleet(t)
	f.arriveLate()
	report := f.group()
	if got := statuses(report, Pending); !report.OK() || got["hour"] != 1 {
		t.Fatalf("pending %v, differences %v; want the hour pending", got, report.Differences)
	}
	f.at = f.at.Add(10 * time.Minute)
	f.sweep()
	if got := f.found(Pending); len(got) > 0 {
		t.Errorf("pending %v after the sweep, want none", got)
	}
	if report := f.group(); !report.OK() || report.Count(Equal) == 0 {
		t.Errorf("differences %v after the sweep, want none", report.Differences)
	}
}

// A purge removes the share and puts the invalidation of the group's bucket.
func TestVerify_AGroupWithoutARemovedShareIsPendingUntilTheSweep(t *testing.T) {
	f := newFleet(t)
	f.removeShare(tested14)
	if got := f.found(Differs); got["hour"] != 1 {
		t.Fatalf("differing rows %v without a notice, want the hour", got)
	}
	f.notify(site, tested14)
	if report := f.group(); !report.OK() || report.Count(Pending) == 0 {
		t.Errorf("differences %v, want the hour pending", report.Differences)
	}
	f.at = f.at.Add(15 * time.Minute)
	f.sweep()
	if report := f.group(); !report.OK() || report.Count(Pending) > 0 {
		t.Errorf("%d pending, differences %v after the sweep", report.Count(Pending), report.Differences)
	}
}

// What is settled and wrong is found, whatever other buckets of the group wait for.
func TestVerify_AGroupThatIsWrongWhenSettledIsReported(t *testing.T) {
	other := site
	other.Subject.ID = "paris"
	for name, c := range map[string]struct {
		before func(*fleet)
		want   map[string]int
	}{
		"nothing waits": {before: func(*fleet) {}, want: map[string]int{"hour": 1, "day": 1, "month": 1}},
		"another group waits": {
			before: func(f *fleet) { f.notify(other, tested14) },
			want:   map[string]int{"hour": 1, "day": 1, "month": 1},
		},
		"another hour waits": {
			before: func(f *fleet) { f.notify(site, tested14.Add(-4*time.Hour)) },
			want:   map[string]int{"hour": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			f.at = eventAt("2026-05-02T00:00:00Z", 0).At
			f.sweep()
			f.removeShare(tested14)
			c.before(f)
			if got := f.found(Differs); !maps.Equal(got, c.want) {
				t.Errorf("differing rows %v, want %v", got, c.want)
			}
		})
	}
}

// changeRow changes the hour of the group behind aggregate's back.
func (f *fleet) changeRow(change func(*rollup.Row)) {
	f.Helper()
	row, err := f.Row(f.Context(), rollup.Key{Series: site, Tier: "hour", Start: tested14})
	if err != nil || row == nil {
		f.Fatal(row, err)
	}
	change(row)
	it, err := item.FromRow(row)
	if err == nil {
		err = f.PutItem(f.Context(), it)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// deleteQueue deletes the invalidations of groups.
func (f *fleet) deleteQueue() {
	f.Helper()
	page, err := f.Invalidations(f.Context(), storage.GroupShard, model.MaxTime, "")
	if err == nil {
		_, _, err = f.DeleteInvalidations(f.Context(), page.Invalidations)
	}
	if err != nil {
		f.Fatal(err)
	}
}

// A share that was written a moment ago and not notified yet excuses its group; an old one does not.
func TestVerify_ANewShareExcusesItsGroupForAWhile(t *testing.T) {
	f := newFleet(t)
	f.arriveLate()
	f.deleteQueue()
	if report := f.group(); !report.OK() || report.Count(Pending) == 0 {
		t.Errorf("differences %v, want the hour pending", report.Differences)
	}
	f.changeRow(func(r *rollup.Row) { r.WrittenAt = f.at })
	if got := f.found(Differs); got["hour"] != 1 {
		t.Errorf("differing rows %v of a group that was folded after the share, want the hour", got)
	}
	f.changeRow(func(r *rollup.Row) { r.WrittenAt = 0 })
	f.at = f.at.Add(Patience)
	if got := f.found(Differs); got["hour"] != 1 {
		t.Errorf("differing rows %v after %s, want the hour", got, Patience)
	}
}

// A watch that finds a group in the middle of each change of its shares reports none of it.
func TestWatcher_AGroupWhoseSharesKeepChangingIsNoDifference(t *testing.T) {
	f := newFleet(t)
	f.arriveLate()
	if got, _ := watched(f.fixture, 1e6, "", nil); got[site.Subject.ID] > 0 {
		t.Errorf("found %v, want the group without differences", got)
	}
}

// sweptMeanwhile is a table whose groups are swept between the reading of the rows and of the queue.
type sweptMeanwhile struct {
	*memory.Table
	sweep func()
}

func (s *sweptMeanwhile) Invalidations(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time,
	after string) (storage.InvalidationPage, error) {
	s.sweep()
	return s.Table.Invalidations(ctx, shard, dueUpTo, after)
}

func TestVerify_AGroupThatIsSweptMeanwhileIsNoDifference(t *testing.T) {
	f := newFleet(t)
	f.notify(site, tested14)
	f.removeShare(tested14)
	f.at = f.at.Add(15 * time.Minute)
	v := Verifier{Store: &sweptMeanwhile{f.Table, f.sweep}, Catalog: f.catalog, Now: f.now}
	report, err := v.Verify(t.Context(), Scope{Span: Always, Subject: site.Subject})
	if err != nil || !report.OK() || report.Count(Pending) > 0 {
		t.Errorf("%d pending, differences %v, %v; want none", report.Count(Pending), report.Differences, err)
	}
}
