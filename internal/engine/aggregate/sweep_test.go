package aggregate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// dying is a table whose caller dies at a request: that request, and all after it, return
// errors. The request itself may be carried out.
type dying struct {
	store
	left   int // requests before it
	stored bool
}

var errDead = errors.New("dead")

func (d *dying) request(do func()) error {
	d.left--
	if d.left >= 0 || d.left == -1 && d.stored {
		do()
	}
	if d.left < 0 {
		return errDead
	}
	return nil
}

func (d *dying) Row(ctx context.Context, key rollup.Key) (row *rollup.Row, err error) {
	if dead := d.request(func() { row, err = d.store.Row(ctx, key) }); dead != nil {
		return nil, dead
	}
	return row, err
}

func (d *dying) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (result storage.WriteResult, err error) {
	if dead := d.request(func() { result, err = d.store.PutRow(ctx, row, prev) }); dead != nil {
		return storage.Unknown, dead
	}
	return result, err
}

func (d *dying) StoredInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (stored map[storage.Invalidation]bool, err error) {
	if dead := d.request(func() { stored, err = d.store.StoredInvalidations(ctx, these) }); dead != nil {
		return nil, dead
	}
	return stored, err
}

func (d *dying) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	if dead := d.request(func() { left, result, err = d.store.PutInvalidations(ctx, these) }); dead != nil {
		return these, storage.Unknown, dead
	}
	return left, result, err
}

func (d *dying) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) (left []storage.Invalidation, result storage.WriteResult, err error) {
	if dead := d.request(func() { left, result, err = d.store.DeleteInvalidations(ctx, these) }); dead != nil {
		return these, storage.Unknown, dead
	}
	return left, result, err
}

func (d *dying) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (result storage.WriteResult, err error) {
	if dead := d.request(func() { result, err = d.store.AdvanceSweep(ctx, shard, through) }); dead != nil {
		return storage.Unknown, dead
	}
	return result, err
}

func (d *dying) Quarantine(context.Context, storage.Quarantined) (storage.WriteResult, error) {
	return storage.Unknown, errDead
}

// A sweep dies before or after each of its requests. The watermark never passes a bucket
// without its row, and the next sweep finishes.
func TestSweep_ThatDiesAnywhereIsFinishedByTheNext(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for n := range 14 {
			w := newWorldWith(t, deferred(gauge, 0))
			w.setNow(at("2026-03-10T23:30:00Z"))
			w.put(order("2026-03-10T23:10:00Z", ""), "1")
			w.process()
			w.setNow(at("2026-03-11T00:02:00Z")) // the hour and its day close at once
			table := &dying{store: w.table, left: n, stored: stored}
			w.on(table)
			_, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
			died := table.left < 0
			if all, _ := w.table.Sweeps(w.ctx()); all.For(w.series) >= at("2026-03-11T00:00:00Z") {
				w.wantRow(tier.Hour, "2026-03-10T23:10:00Z", 1, "1", true)
				w.wantRow(tier.Day, "2026-03-10T23:10:00Z", 1, "1", true)
			} else if err == nil && !died {
				t.Errorf("request %d: the sweep ended without error and did not advance the watermark", n)
			}
			w.on(w.table)
			w.sweep()
			w.wantRow(tier.Day, "2026-03-10T23:10:00Z", 1, "1", true)
			w.sweepAt("2026-04-01T00:02:00Z")
			w.wantQueue()
			w.wantRecount()
		}
	}
}

// A row that cannot be written now holds the watermark before its closing time; others are
// swept.
func TestSweep_WatermarkIsHeldBeforeWhatIsLeft(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(ten))
	for _, when := range []string{ten, "2026-03-10T12:10:00Z"} {
		w.setNow(at(when))
		w.put(order(when, ""), "1")
		w.process()
	}
	w.agg.Limits.Attempts = 2
	w.setNow(at("2026-03-10T14:00:00Z"))
	w.on(&throttledHour{store: w.table, start: at(ten)})
	r, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
	if err != nil || r.Swept != 1 || r.Left != 1 || len(r.Failures) != 1 || r.Through != at(eleven)-1 {
		t.Errorf("%v, swept %d, left %d, failures %v, through %s; want 1, 1, one, %s", err, r.Swept, r.Left,
			r.Failures, r.Through, at(eleven)-1)
	}
	w.on(w.table)
	if r := w.sweep(); r.Swept != 1 || r.Through != at("2026-03-10T13:58:00Z") {
		t.Errorf("swept %d through %s", r.Swept, r.Through)
	}
}

// throttledHour is a table that throttles the writes of one row.
type throttledHour struct {
	store
	start model.Time
}

func (s *throttledHour) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	if row.Key.Tier == tier.Hour.String() && row.Key.Start == s.start {
		return storage.Throttled, nil
	}
	return s.store.PutRow(ctx, row, prev)
}

func TestSweep_LeavesTheRestWhenTheTimeIsUp(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(ten))
	w.put(order(ten, ""), "1")
	w.process()
	w.setNow(at(noon.String()))
	ctx, cancel := context.WithCancel(w.ctx())
	cancel()
	r, err := w.agg.Sweep(ctx, storage.FirstGeneration.Shard(w.series))
	if err == nil || r.Swept != 0 {
		t.Errorf("%v, swept %d; want an error and nothing swept", err, r.Swept)
	}
	if all, _ := w.table.Sweeps(w.ctx()); len(all.Through) != 0 {
		t.Errorf("low watermarks %v, want none", all)
	}
}

// stopping is a table that ends the sweep's time after a number of deleted invalidations,
// and returns one invalidation a page.
type stopping struct {
	store
	after int
	stop  context.CancelFunc
}

func (s *stopping) Invalidations(
	ctx context.Context, shard storage.QueueShard, due model.Time, after string,
) (storage.InvalidationPage, error) {
	if ctx.Err() != nil {
		return storage.InvalidationPage{}, ctx.Err()
	}
	page, err := s.store.Invalidations(ctx, shard, due, after)
	if len(page.Invalidations) > 1 {
		page.Invalidations = page.Invalidations[:1]
		page.Next = tablekeys.Invalidation(page.Invalidations[0]).SK
	}
	return page, err
}

func (s *stopping) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	left, result, err := s.store.DeleteInvalidations(ctx, these)
	if s.after--; s.after == 0 {
		s.stop()
	}
	return left, result, err
}

// A sweep whose time is up advances the watermark as far as it came.
func TestSweep_AdvancesAsFarAsItCame(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	for hour := range 4 {
		w.setNow(at(ten).Add(time.Duration(hour) * time.Hour))
		w.put(model.Order{At: w.now()}, "1")
		w.process()
	}
	w.setNow(at("2026-03-10T14:02:00Z"))
	ctx, stop := context.WithCancel(w.ctx())
	w.on(&stopping{store: w.table, after: 2, stop: stop})
	w.agg.Limits.Concurrency, w.agg.Limits.Buckets = 1, 1
	r, err := w.agg.Sweep(ctx, storage.FirstGeneration.Shard(w.series))
	all, _ := w.table.Sweeps(w.ctx())
	if want := at("2026-03-10T13:00:00Z") - 1; err != nil || r.Swept != 2 || r.Left != 2 ||
		all.For(w.series) != want {
		t.Errorf("%v, swept %d, low watermarks %v; want 2, 2 left, %s", err, r.Swept, all, want)
	}
	w.on(w.table)
	if r := w.sweep(); r.Swept != 2 {
		t.Errorf("then swept %d, want 2", r.Swept)
	}
}

// partial is a table that processes a part of each batch of deletions, and loses the response to some.
type partial struct {
	store
	batches int
	loses   bool
}

func (p *partial) DeleteInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	if p.batches++; len(these) == 1 {
		return p.store.DeleteInvalidations(ctx, these)
	}
	half := len(these) / 2
	if _, result, err := p.store.DeleteInvalidations(ctx, these[:half]); err != nil ||
		result != storage.Written {
		return these, result, err
	}
	if p.loses && p.batches == 1 {
		return these, storage.Unknown, nil
	}
	return these[half:], storage.Written, nil
}

// What a batch of deletions did not process, or lost the response of, is deleted again. Only what was deleted
// counts.
func TestSweep_DeletesAgainWhatWasNotProcessed(t *testing.T) {
	for attempts, want := range map[int]int{1: 4, 60: 8} {
		for _, loses := range []bool{false, true} {
			w := newWorldWith(t, deferred(gauge, 0))
			for hour := range 8 {
				w.setNow(at(ten).Add(time.Duration(hour) * time.Hour))
				w.put(model.Order{At: w.now()}, "1")
				w.process()
			}
			w.setNow(at("2026-03-10T20:00:00Z"))
			w.agg.Limits.Attempts = attempts
			w.on(&partial{store: w.table, loses: loses})
			if loses && attempts == 1 {
				want = 0 // nothing is known of the batch
			}
			r, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
			if err != nil || r.Swept != want || r.Left != 8-want {
				t.Errorf("%d attempts, loses %v: swept %d, left %d, %v; want %d", attempts, loses, r.Swept, r.Left, err,
					want)
			}
			w.on(w.table)
			w.agg.Limits.Attempts = 60
			w.sweep()
			w.wantQueue("day due 2026-03-11T00:00:00.000Z")
		}
	}
}

// The hours of a day of one series are worked off together, whatever is due between them: so the day is
// recomputed once.
func TestSweep_RecomputesTheDayOfEachSeriesOnce(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.agg.Limits.Buckets = 6
	shard, other := storage.FirstGeneration.Shard(w.series), w.series
	for i := 2; other == w.series || storage.FirstGeneration.Shard(other) != shard; i++ {
		other = w.kind.Series(fmt.Sprint("d", i), "", model.Order{})
	}
	for hour := range 6 {
		w.setNow(at(ten).Add(time.Duration(hour) * time.Hour))
		for _, s := range []model.Series{w.series, other} {
			e := w.event(model.Order{At: w.now()}, "1")
			e.Series = s
			if _, err := w.table.Put(w.ctx(), e); err != nil {
				t.Fatal(err)
			}
		}
		w.process()
	}
	if r := w.sweepAt("2026-03-11T00:02:00Z"); r.Swept != 12 || r.Recomputed != 12+2 {
		t.Errorf("swept %d, %d recomputations; want 12 hours and a day of each series", r.Swept, r.Recomputed)
	}
}

// What can never be swept is quarantined, and does not hold the watermark.
func TestSweep_PoisonIsQuarantined(t *testing.T) {
	for name, spoil := range map[string]func(*world, *storage.Invalidation){
		"unknown kind": func(_ *world, i *storage.Invalidation) { i.Key.Series.Kind = "GONE" },
		"removed tier": func(_ *world, i *storage.Invalidation) { i.Key.Tier = tier.Minute.String() },
		"denied row":   func(w *world, _ *storage.Invalidation) { w.agg.Store = &faulty{store: w.table, denyFrom: 1} },
	} {
		w := newWorldWith(t, deferred(gauge, 0))
		i := storage.FirstGeneration.Invalidation(at(eleven),
			rollup.Key{Series: w.series, Tier: tier.Hour.String(), Start: at(ten)})
		w.put(order(ten, ""), "1")
		spoil(w, &i)
		if _, result, err := w.table.PutInvalidations(w.ctx(), []storage.Invalidation{i}); err != nil ||
			result != storage.Written {
			t.Fatal(result, err)
		}
		r, err := w.agg.Sweep(w.ctx(), i.Shard)
		if err != nil || r.Quarantined != 1 || r.Swept != 1 || r.Through != noon.Add(-aggregate.ClockMargin) {
			t.Errorf("%s: %v, %d quarantined, %d swept, through %s", name, err, r.Quarantined, r.Swept, r.Through)
		}
		w.wantQueue()
		quarantined := 0
		for _, it := range w.items() {
			if q, err := item.Quarantined(it); err == nil && q.Reason != "" {
				quarantined++
			}
		}
		if quarantined != 1 {
			t.Errorf("%s: %d quarantined items, want 1", name, quarantined)
		}
	}
}

// A panic is a fault of the release: its invalidation stays, and holds the watermark until it is mended.
func TestSweep_PanicHoldsTheWatermark(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1")
	w.process()
	w.agg.Store = &panicking{store: w.table, start: at(ten)}
	key := rollup.Key{Series: w.series, Tier: tier.Hour.String(), Start: at(ten)}
	i := storage.FirstGeneration.Invalidation(at(eleven), key)
	shard := i.Shard
	if _, _, err := w.table.PutInvalidations(w.ctx(), []storage.Invalidation{i}); err != nil {
		t.Fatal(err)
	}
	r, err := w.agg.Sweep(w.ctx(), shard)
	if err != nil || r.Left != 1 || r.Quarantined != 0 || r.Through != at(eleven)-1 {
		t.Errorf("%v, %d left, %d quarantined, through %s; want it left", err, r.Left, r.Quarantined, r.Through)
	}
	w.agg.Store = w.table
	r, err = w.agg.Sweep(w.ctx(), shard)
	if err != nil || r.Left != 0 || r.Through != noon.Add(-aggregate.ClockMargin) {
		t.Errorf("mended: %v, %d left, through %s", err, r.Left, r.Through)
	}
	w.wantRow(tier.Hour, ten, 1, "1", true)
}

// A row that a newer version wrote waits for the program that knows it.
func TestSweep_RowOfANewerVersionHoldsTheWatermark(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.put(order(ten, ""), "1")
	w.process()
	hour := keys.Row(rollup.Key{Series: w.series, Tier: tier.Hour.String(), Start: at(ten)})
	newer := item.Item{keys.AttrPK: {Type: item.S, S: hour.PK}, keys.AttrSK: {Type: item.S, S: hour.SK},
		keys.AttrVersion: {Type: item.N, S: "99"}}
	if err := w.table.UpdateItem(w.ctx(), newer); err != nil {
		t.Fatal(err)
	}
	i := storage.FirstGeneration.Invalidation(at(eleven),
		rollup.Key{Series: w.series, Tier: tier.Hour.String(), Start: at(ten)})
	if _, _, err := w.table.PutInvalidations(w.ctx(), []storage.Invalidation{i}); err != nil {
		t.Fatal(err)
	}
	r, err := w.agg.Sweep(w.ctx(), storage.FirstGeneration.Shard(w.series))
	if err != nil || r.Left != 1 || r.Quarantined != 0 || r.Through != at(eleven)-1 {
		t.Errorf("%v, left %d, quarantined %d, through %s; want 1, 0, %s", err, r.Left, r.Quarantined, r.Through,
			at(eleven)-1)
	}
}

// Back to immediate: the tiers are immediate, what is in the queue is drained, and every
// bucket has its row, also those that would still be open.
func TestDrain_LeavesTiersThatAreStillDeferred(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	w.setNow(at(ten))
	w.put(order(ten, ""), "1")
	w.process()
	w.kind.Retention.Tiers[0].DeferredFrom = model.MaxTime
	for _, want := range []int{1, 0} {
		if r, err := w.agg.Drain(w.ctx(), storage.FirstGeneration.Shard(w.series)); err != nil || r.Swept != want {
			t.Errorf("%v, drained %d, want %d", err, r.Swept, want)
		}
		w.wantQueue("day due 2026-03-11T00:00:00.000Z")
	}
}

func TestDrain_WritesTheRowsOfOpenBuckets(t *testing.T) {
	w := newWorldWith(t, deferred(gauge, 0))
	for i := range 5 {
		w.setNow(at(ten).Add(time.Duration(i) * 20 * time.Minute))
		w.put(model.Order{At: w.now()}, fmt.Sprint(i))
		w.process()
	}
	for level := range w.kind.Retention.Tiers {
		w.kind.Retention.Tiers[level].DeferredFrom = model.MaxTime
	}
	for _, want := range []int{3, 0} { // three hours, of which one is closed
		r, err := w.agg.Drain(w.ctx(), storage.FirstGeneration.Shard(w.series))
		if err != nil || len(r.Failures) > 0 || want == 0 != (r.Swept == 0) || r.Recomputed < want ||
			r.Reads < want {
			t.Errorf("%v, failures %v, drained %d", err, r.Failures, r.Swept)
		}
	}
	w.wantQueue()
	w.wantRecount()
}
