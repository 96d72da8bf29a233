package query_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// deferredGauges is gauges with the tiers from a level on deferred.
func deferredGauges(from int, grace, jitter time.Duration) catalog.Kind {
	kind := gauges()
	kind.Retention.Raw, kind.Retention.Jitter = 4*tier.Day24, jitter
	kind.Retention.Tiers[0].Retention, kind.Retention.Tiers[1].Retention = 8*tier.Day24, 38*tier.Day24
	for level := from; level < len(kind.Retention.Tiers); level++ {
		kind.Retention.Tiers[level].Deferred = true
		kind.Retention.Tiers[level].Grace = grace
	}
	return kind
}

// live returns a store that has read no low watermark so far.
func (l *simulation) live() *query.Live {
	return &query.Live{Store: l.table, Watermarks: l.table, Kind: query.CatalogKinds(l.agg.Catalog),
		Now: func() model.Time { return l.clock }}
}

// sweep sweeps all queue shards. The stream must have been processed.
func (l *simulation) sweep() {
	l.t.Helper()
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if report, err := l.agg.Sweep(context.Background(), shard); err != nil || len(report.Failures) > 0 {
			l.t.Fatalf("sweep: %v, %v", err, report.Failures)
		}
	}
}

// read returns the rollups of a unit as a reader sees them.
func (l *simulation) read(q query.Rollups) []query.Rollup {
	l.t.Helper()
	l.query.Store = l.live()
	var all []query.Rollup
	for r, err := range l.query.EachRollup(context.Background(), q) {
		if err != nil {
			l.t.Fatalf("read: %v", err)
		}
		all = append(all, r)
	}
	return all
}

// wantCommitted compares the rollups of a unit from a time on with a recount of all events.
func (l *simulation) wantCommitted(unit tier.Unit, from model.Time, newest bool) {
	l.t.Helper()
	got := l.read(query.Rollups{Series: l.series("a", ""), Unit: unit, From: from, To: model.MaxTime,
		Newest: newest, Limit: 0, Consistent: true})
	if newest {
		slices.Reverse(got)
	}
	want := map[model.Time]bool{}
	for _, e := range l.appended {
		if b := unit.BucketAt(e.At); b.Start >= from {
			want[b.Start] = true
		}
	}
	if len(got) != len(want) {
		l.t.Fatalf("%s from %s: %d buckets, want %d", unit, from, len(got), len(want))
	}
	for i, r := range got {
		fold := l.fold(r.Bucket.Start, r.Bucket.End, func(*model.Event) bool { return true })
		if i > 0 && got[i-1].Bucket.Start >= r.Bucket.Start || r.Digest != fold.Digest || !r.Exact ||
			r.Summary.Events() != fold.Summary.Events() {
			l.t.Fatalf("%s %s: %d events, exact %t; want %d, exact", unit, r.Bucket, r.Summary.Events(), r.Exact,
				fold.Summary.Events())
		}
	}
}

// An open bucket of events is the committed events at any time; each other bucket is as soon
// as the stream has been processed.
func TestLive_ServesTheCommittedEventsOfOpenBucketsAndTheRowsOfClosedOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.SampledFrom([]time.Duration{0, 30 * time.Second, 10 * time.Minute})
		immediate := rapid.IntRange(0, 2).Draw(t, "immediate tiers")
		l := newSimulation(t, deferredGauges(immediate, seconds.Draw(t, "grace"), seconds.Draw(t, "jitter")))
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"append", "append", "append", "late", "process", "wait", "sweep"}).Draw(
				t, "step") {
			case "append":
				l.append("a", "", l.clock, 1)
			case "late":
				l.append("a", "", l.clock.Add(
					-rapid.SampledFrom([]time.Duration{time.Minute, time.Hour, 20 * time.Hour}).Draw(t, "lateness")), 1)
			case "process":
				l.process()
			case "wait":
				l.clock = l.clock.Add(rapid.SampledFrom(
					[]time.Duration{time.Minute, 3 * time.Minute, time.Hour, 9 * time.Hour}).Draw(t, "wait"))
			case "sweep":
				l.process()
				l.sweep()
			}
			newest := rapid.Bool().Draw(t, "newest")
			if immediate == 0 {
				l.wantCommitted(tier.Hour, l.firstOpen(0), newest)
			}
			if rapid.Bool().Draw(t, "process") {
				l.process()
				for _, part := range l.kind.Retention.Tiers {
					l.wantCommitted(part.Unit, model.MinTime, newest)
				}
			}
		}
	})
}

// firstOpen returns the start of the first open bucket of a level that has an event, and
// after which no bucket is closed.
func (l *simulation) firstOpen(level int) model.Time {
	l.t.Helper()
	series := l.kind.Series("a", "", model.Order{})
	through, err := l.live().CompleteThrough(context.Background(), series)
	if err != nil {
		l.t.Fatalf("low watermark: %v", err)
	}
	first := model.MaxTime - 1
	for _, e := range l.appended {
		b := l.kind.Retention.Tiers[level].Unit.BucketAt(e.At)
		if l.kind.Retention.ClosesAt(level, b, series) > through {
			first = min(first, b.Start)
		}
	}
	return first
}

func TestLive_PagesOfOneBucketAddUpToTheWholeRange(t *testing.T) {
	l := newSimulation(t, deferredGauges(0, 0, 0))
	for i := range 30 {
		l.append("a", "", l.clock.Add(-time.Duration(i)*time.Hour), int64(i))
		l.process()
	}
	l.clock = l.clock.Add(3 * time.Minute)
	l.sweep()
	l.clock = l.clock.Add(2 * time.Hour)
	l.append("a", "", l.clock, 1)
	for _, newest := range []bool{false, true} {
		q := query.Rollups{Series: l.series("a", ""), Unit: tier.Hour, From: model.MinTime, To: model.MaxTime,
			Newest: newest}
		want := l.read(q)
		if len(want) != 31 {
			t.Fatalf("%d hours, want 31", len(want))
		}
		q.Limit = 1
		var got []query.Rollup
		for {
			page, err := l.query.Rollups(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page.Rollups...)
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if len(got) != len(want) {
			t.Fatalf("newest %t: %d hours in pages, want %d", newest, len(got), len(want))
		}
		for i := range got {
			if got[i].Bucket != want[i].Bucket || got[i].Digest != want[i].Digest {
				t.Errorf("newest %t: %s in pages, want %s", newest, got[i].Bucket, want[i].Bucket)
			}
		}
	}
}

// Without a sweep, events of an open bucket expire: what is left is not the whole.
func TestLive_BucketWhoseChildrenMayHaveExpiredIsInexact(t *testing.T) {
	l := newSimulation(t, deferredGauges(0, 0, 0))
	l.append("a", "", l.clock, 1)
	l.process()
	for _, c := range []struct {
		after time.Duration
		exact bool
	}{{94 * time.Hour, true}, {95 * time.Hour, false}} {
		l.clock = now.Add(c.after)
		got := l.read(query.Rollups{Series: l.series("a", ""), Unit: tier.Hour, From: model.MinTime,
			To: model.MaxTime})
		if len(got) != 1 || got[0].Exact != c.exact {
			t.Errorf("after %s: %+v, want one hour with exact %t", c.after, got, c.exact)
		}
	}
}

// Without a sweep, a day of the open month loses its hours, which expire: it is in no fold, and the month
// lacks its events. A day that was swept is a row.
func TestLive_BucketOfWhichAnUnsweptChildLostItsChildrenIsInexact(t *testing.T) {
	for _, swept := range []bool{false, true} {
		l := newSimulation(t, deferredGauges(1, 0, 0))
		l.append("a", "", l.clock, 1)
		l.process()
		if l.clock = now.Add(2 * tier.Day24); swept {
			l.sweep()
		}
		l.clock = now.Add(9 * tier.Day24)
		hour := tier.Hour.BucketAt(now)
		gone := keys.Row(rollup.Key{Series: l.kind.Series("a", "", model.Order{At: now}), Tier: tier.Hour.String(),
			Start: hour.Start})
		if err := l.table.DeleteItem(context.Background(), gone); err != nil {
			t.Fatal(err)
		}
		l.append("a", "", l.clock, 1)
		l.process()
		got := l.read(query.Rollups{Series: l.series("a", ""), Unit: tier.Month, From: model.MinTime,
			To: model.MaxTime})
		events := map[bool]int64{false: 1, true: 2}[swept]
		if len(got) != 1 || got[0].Exact != swept || got[0].Summary.Events() != events {
			t.Errorf("swept %t: %+v, want a month of %d events with exact %t", swept, got, events, swept)
		}
	}
}

// unlisted is a table whose lists cannot be read.
type unlisted struct{ query.Store }

func (unlisted) List(context.Context, itemop.ListRequest) (itemop.ListPage, error) {
	return itemop.ListPage{}, errUnlisted
}

var errUnlisted = errors.New("the list cannot be read")

func TestLive_ListOfSeriesThatCannotBeReadIsAnError(t *testing.T) {
	l := newSimulation(t, deferredGauges(1, 0, 0))
	l.append("a", "", l.clock, 1)
	l.process()
	l.clock = now.Add(9 * tier.Day24)
	live := l.live()
	live.Store = unlisted{l.table}
	_, err := (&query.Service{Store: live, Now: l.query.Now}).Rollups(t.Context(), query.Rollups{
		Series: l.series("a", ""), Unit: tier.Month, From: model.MinTime, To: model.MaxTime,
	})
	if !errors.Is(err, errUnlisted) {
		t.Errorf("%v, want the error of the list", err)
	}
}

// countedWatermarks counts the readings of the low watermarks.
type countedWatermarks struct {
	query.LowWatermarks
	readings int
}

func (c *countedWatermarks) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	c.readings++
	return c.LowWatermarks.Sweeps(ctx)
}

func TestLive_ReadsTheLowWatermarksOnceInTenSecondsAndNeverForImmediateTiers(t *testing.T) {
	for name, c := range map[string]struct {
		kind catalog.Kind
		want int
	}{"immediate": {gauges(), 0}, "deferred": {deferredGauges(0, 0, 0), 2}} {
		l := newSimulation(t, c.kind)
		live := l.live()
		counted := &countedWatermarks{LowWatermarks: l.table}
		live.Watermarks = counted
		read := func() rollup.RowPage {
			page, err := live.Rows(t.Context(), tier.Hour,
				storage.Range{Series: l.kind.Series("a", "", model.Order{}), From: model.MinTime, To: model.MaxTime})
			if err != nil {
				t.Fatal(err)
			}
			return page
		}
		read()
		l.clock = l.clock.Add(9 * time.Second)
		read()
		l.clock = l.clock.Add(2 * time.Second)
		read()
		if counted.readings != c.want {
			t.Errorf("%s: %d readings, want %d", name, counted.readings, c.want)
		}
	}
}
