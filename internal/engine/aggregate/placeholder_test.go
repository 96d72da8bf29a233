package aggregate_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// shortest has the shortest retentions that a policy may have.
func shortest() catalog.Kind {
	kind := gauge
	kind.Retention = tier.Policy{Raw: 3 * tier.Day24, Tiers: []tier.Tier{
		{Unit: tier.Hour, Retention: 7 * tier.Day24},
		{Unit: tier.Day, Retention: 37 * tier.Day24},
		{Unit: tier.Month, Retention: 400 * tier.Day24},
	}}
	return kind
}

// The hours and days before the month is sealed, and before its row expires, in which the
// clocks of two processes may disagree about it.
var (
	ninth5 = order("2026-03-09T05:00:00Z", "five")
	ninth8 = order("2026-03-09T08:00:00Z", "eight")
	tenth  = order("2026-03-10T10:00:00Z", "")
)

// atTheSeal returns a world half a minute before the month row is sealed, whose day row
// of 10 March is the only one, and the changes of two late events of 9 March.
func atTheSeal(t *testing.T) (w *world, five, eight []storage.Change) {
	w = newWorldWith(t, shortest())
	w.put(tenth, "1")
	w.process()
	month := w.row(tier.Month, ten)
	w.setNow(model.Time(month.ChildrenExpireAt * 1000).Add(-tier.SealMargin - 30*time.Second))
	w.table.Expire(w.now())
	w.changes()
	w.put(ninth5, "1")
	five = w.changes()
	w.put(ninth8, "1")
	return w, five, w.changes()
}

// pastTheMonth is atTheSeal half a minute before a month row would expire, without any row.
func pastTheMonth(t *testing.T) (w *world, five, eight []storage.Change) {
	w = newWorldWith(t, shortest())
	w.setNow(at("2026-04-01T00:00:00Z").Add(400*tier.Day24 - tier.SealMargin - 30*time.Second))
	w.put(ninth5, "1")
	five = w.changes()
	w.put(ninth8, "1")
	return w, five, w.changes()
}

// A process whose clock is ahead does not create an hour, and before it reads the day,
// another process has created the day from the other hour.
func TestPlaceholder_HourNotCreatedMarksTheDayThatIsCreatedMeanwhile(t *testing.T) {
	w, five, eight := atTheSeal(t)
	ahead := w.process2(time.Minute, &before{store: w.table, tier: tier.Day, n: 2, do: func() {
		w.processAll(five)
	}})
	if r := ahead.Process(w.ctx(), eight); len(r.Failures) > 0 || r.NotCreated != 1 {
		t.Fatalf("%d rows not created, failures %v; want the hour only", r.NotCreated, r.Failures)
	}
	w.wantRow(tier.Hour, "2026-03-09T05:00:00Z", 1, "1", true)
	w.wantRow(tier.Day, "2026-03-09T05:00:00Z", 1, "1", false)
	w.wantRow(tier.Month, ten, 2, "1", false)
}

// before calls do before the n-th read of a row of a tier.
type before struct {
	store
	tier tier.Unit
	n    int
	do   func()
}

func (b *before) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if key.Tier == b.tier.String() {
		if b.n--; b.n == 0 {
			b.do()
		}
	}
	return b.store.Row(ctx, key)
}

// process2 returns another process of the aggregate function, whose clock is ahead.
func (w *world) process2(ahead time.Duration, on store) *aggregate.Aggregator {
	return &aggregate.Aggregator{
		Store: on, QuarantineStore: on, Catalog: w.agg.Catalog, Rand: seeded(2), Sleep: w.agg.Sleep,
		Now: func() model.Time { return w.now().Add(ahead) },
	}
}

// Two processes with clocks a minute apart take turns at random, request by request, and
// either may be interrupted and start over. Every exact row includes all events.
func TestPlaceholder_AnyInterleavingOfTwoClocksIsExactOrInexact(t *testing.T) {
	for name, situation := range map[string]func(*testing.T) (*world, []storage.Change, []storage.Change){
		"the month is being sealed": atTheSeal, "the month is expiring": pastTheMonth,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(400) {
				draw := rand.New(rand.NewPCG(seed, 0))
				w, five, eight := situation(t)
				batches := [][]storage.Change{five, eight}
				var turns []*turn
				for i := range 2 {
					batch := batches[draw.IntN(2)]
					turns = append(turns, newTurn(w.table, draw.IntN(20), func(ctx context.Context, on store) {
						agg := w.process2(time.Duration(i)*time.Minute, on)
						agg.Rand, agg.Limits.Concurrency = seeded(byte(i)), 1
						agg.Process(ctx, batch)
					}))
				}
				for len(turns) > 0 {
					if i := draw.IntN(len(turns)); !turns[i].step() {
						turns = append(turns[:i], turns[i+1:]...)
					}
				}
				for _, batch := range batches { // each is delivered again until it is processed
					w.agg = w.process2(time.Duration(draw.IntN(2))*time.Minute, w.table)
					w.processAll(batch)
				}
				if w.wantExactOrInexact(); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// wantExactOrInexact fails where an exact row differs from a recount, or a row is missing
// below no inexact one and above no placeholder.
func (w *world) wantExactOrInexact() {
	w.t.Helper()
	var events []model.Event
	for _, o := range []model.Order{ninth5, ninth8, tenth} {
		if o != tenth || w.row(tier.Day, ten) != nil {
			events = append(events, w.event(o, "1"))
		}
	}
	for key, want := range w.recount(events) {
		row, err := w.table.Row(w.ctx(), key)
		if err != nil {
			w.t.Fatal(err)
		}
		if row != nil && !row.Empty && row.Exact && row.Digest != want.Digest {
			w.t.Errorf("%s %s is exact with %d events, want %d", key.Tier, key.Start, row.Summary.Events(),
				want.Summary.Events())
		}
	}
}

// turn is a store whose requests wait until it is their process's turn.
type turn struct {
	store
	next    chan bool // sent to let the process go on; false interrupts it
	waiting chan bool // received when the process waits again; false when it has ended
	left    int       // requests until the process is interrupted; never if negative
	cancel  context.CancelFunc
}

// newTurn runs process up to its first request.
func newTurn(on store, left int, process func(context.Context, store)) *turn {
	t := &turn{store: on, next: make(chan bool), waiting: make(chan bool), left: left}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	go func() {
		process(ctx, t)
		t.waiting <- false
	}()
	<-t.waiting
	return t
}

// step lets the process make one request. It returns false when the process has ended.
func (t *turn) step() bool {
	t.left--
	t.next <- t.left != 0
	return <-t.waiting
}

func (t *turn) wait() error {
	t.waiting <- true
	if !<-t.next {
		t.cancel()
		return context.Canceled
	}
	return nil
}

func (t *turn) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	if err := t.wait(); err != nil {
		return nil, err
	}
	return t.store.Row(ctx, key)
}

func (t *turn) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := t.wait(); err != nil {
		return storage.EventPage{}, err
	}
	return t.store.Events(ctx, r)
}

func (t *turn) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := t.wait(); err != nil {
		return rollup.RowPage{}, err
	}
	return t.store.Rows(ctx, u, r)
}

func (t *turn) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if err := t.wait(); err != nil {
		return 0, err
	}
	return t.store.PutRow(ctx, row, prev)
}
