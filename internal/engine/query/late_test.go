package query_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Where late changes are coalesced, a result has each change that was processed before
// completeThrough, each that was processed within a tick of the closing of its bucket, and none that
// was not stored.
func TestLive_HasEachLateChangeThatWasProcessedBeforeCompleteThrough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		immediate := rapid.IntRange(0, 2).Draw(t, "immediate tiers")
		kind := deferredGauges(immediate, 0, 0)
		kind.Retention.LateEvery = 5 * time.Minute
		l := newSimulation(t, kind)
		var processed []model.Time // of each event; shorter than the events by those that are not
		process := func() {
			l.process()
			for len(processed) < len(l.appended) {
				processed = append(processed, l.clock)
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.SampledFrom(
				[]string{"append", "late", "late", "late", "process", "process", "wait", "sweep"}).Draw(t, "step") {
			case "append":
				l.append("a", "", l.clock, 1)
			case "late":
				l.append("a", "", l.clock.Add(-rapid.SampledFrom(
					[]time.Duration{time.Minute, time.Hour, 20 * time.Hour, 40 * time.Hour}).Draw(t, "lateness")), 1)
			case "process":
				process()
			case "wait":
				l.clock = l.clock.Add(rapid.SampledFrom(
					[]time.Duration{time.Minute, 3 * time.Minute, time.Hour, 9 * time.Hour}).Draw(t, "wait"))
			case "sweep":
				l.sweep()
			}
			for level, part := range l.kind.Retention.Tiers {
				l.wantThrough(level, part.Unit, processed)
			}
		}
	})
}

// wantThrough checks the counts of all buckets of a tier. processed has when events were.
func (l *simulation) wantThrough(level int, unit tier.Unit, processed []model.Time) {
	l.t.Helper()
	l.query.Store = l.live()
	page, err := l.query.Rollups(context.Background(), query.Rollups{Series: l.series("a", ""), Unit: unit,
		From: model.MinTime, To: model.MaxTime, Consistent: true})
	if err != nil || page.Next != "" || page.CompleteThrough == nil {
		l.t.Fatalf("%v, next %q, complete through %v", err, page.Next, page.CompleteThrough)
	}
	least, most := map[model.Time]int64{}, map[model.Time]int64{}
	for n, e := range l.appended {
		b := unit.BucketAt(e.At)
		most[b.Start]++
		if n < len(processed) && (processed[n] < *page.CompleteThrough ||
			processed[n] < l.kind.Retention.Tiers[0].Unit.BucketAt(e.At).End.Add(5*time.Minute)) {
			least[b.Start]++
		}
	}
	for _, r := range page.Rollups {
		if n := r.Summary.Events(); n < least[r.Bucket.Start] || n > most[r.Bucket.Start] || !r.Exact {
			l.t.Fatalf("%s: %d events, exact %v; want %d to %d, exact, complete through %s", r.Bucket, n, r.Exact,
				least[r.Bucket.Start], most[r.Bucket.Start], page.CompleteThrough)
		}
		delete(least, r.Bucket.Start)
	}
	if len(least) > 0 {
		l.t.Fatalf("level %d has no buckets of %v", level, least)
	}
}

// completeThrough of a kind that coalesces late changes is earlier by the tick and the margin of
// clocks.
func TestLive_CompleteThroughOfCoalescedChanges(t *testing.T) {
	kind := liveGauge(0)
	kind.Retention.LateEvery = 5 * time.Minute
	w := newLiveWorld(t, kind)
	for _, want := range []model.Time{model.MinTime, at("2026-03-10T11:52:00Z")} {
		page, err := w.query.Rollups(context.Background(), query.Rollups{Series: query.Series{Kind: w.kind,
			Subject: "d1"}, Unit: tier.Hour, From: at(noon), To: at(noon) + 1})
		if err != nil || *page.CompleteThrough != want {
			t.Errorf("complete through %v, %v; want %s", page.CompleteThrough, err, want)
		}
		w.sweep()
		w.live = &query.Live{Store: w.reads, Watermarks: w.reads, Kind: w.live.Kind, Now: w.live.Now}
		w.query.Store = w.live
	}
}

// sweptMeanwhile sweeps when the low watermarks are read, before it returns them.
type sweptMeanwhile struct{ w *liveWorld }

func (s sweptMeanwhile) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	s.w.now = at("2026-03-10T13:30:00Z")
	s.w.sweep()
	return s.w.table.Sweeps(ctx)
}

// A reader takes the low watermark before it reads any row: a bucket that is swept meanwhile
// is in one part of the result.
func TestLive_LowWatermarkIsReadBeforeTheRows(t *testing.T) {
	w := newLiveWorld(t, liveGauge(0))
	w.put(at("2026-03-10T12:00:00Z"), 7)
	w.process()
	w.live.Watermarks = sweptMeanwhile{w}
	page, err := w.live.Rows(context.Background(), tier.Hour,
		storage.Range{Series: w.series, From: at("2026-03-10T00:00:00Z"), To: at("2026-03-11T00:00:00Z")})
	if err != nil || len(page.Rows) != 1 {
		t.Errorf("%d rows, %v; want the one of the hour that was swept", len(page.Rows), err)
	}
}
