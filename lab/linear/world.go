package linear

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// variant plants a fault around the code. The zero variant is the code as it is.
type variant struct {
	append  func(*world, *storage.AppendTransaction) (storage.StoreResult, bool) // true: this is the result
	latest  func(*world, *model.Latest) *model.Latest                            // replaces what is read
	changes func(*world, []storage.Change) []storage.Change                      // replaces a decoded batch
	// a method that acknowledges some writes without storing them
	lose string
}

// world is the table of one history, its clients, and the aggregate function.
type world struct {
	*simstream.Sim
	variant variant
	dice    simstream.Dice
	kinds   *catalog.Catalog
	store   *store
	log     *Log
	swept   map[string]bool
	known   map[string]*model.Latest // of variants
}

// The size of a history. Between two waves everything is delivered, usually.
const (
	clients  = 4
	waves    = 3
	requests = 8 // of one client in a wave
	wave     = 90 * time.Minute
	rest     = 30 * time.Hour // after the last wave, longer than any delivery takes
)

// newWorld prepares one history. At its end, done is called with its log.
func newWorld(s *simstream.Sim, v variant, done func(*world)) {
	w := &world{Sim: s, variant: v, dice: s.Dice(), swept: map[string]bool{}, known: map[string]*model.Latest{}}
	kinds, err := catalog.New(drawKind(w.dice.Part("kind")))
	if err != nil {
		panic(err) // a mistake of this program
	}
	w.kinds = kinds
	w.log = &Log{Kind: &kinds.Kinds[0], Base: tier.Hour.BucketAt(s.Now()).Start.Add(-Slots * Step)}
	w.store = &store{Table: memory.New(s.Now), world: w}
	s.Deliver(simstream.Delivery{
		Settings: eventsource.Settings{ReportFailures: true, BatchSize: 5, Parallelization: 2, MaxRetries: -1,
			Bisect: true, Filter: filter},
		Handler: w.handler,
	})
	s.Check(func() error {
		if !w.lateWait() {
			w.log.Quiet()
		}
		return nil
	})
	for i := range clients {
		for n := range waves {
			d := w.dice.Part("client", i, n)
			s.At(s.Now().Add(time.Duration(n)*wave+d.Span("begins", 10*time.Minute)), func() { w.client(i, n, d) })
		}
	}
	for i := range clients { // reads after everything was delivered
		s.At(s.Now().Add(waves*wave+rest), func() { w.readAll(i, w.dice.Part("last reads", i)) })
	}
	s.At(s.Now().Add(waves*wave+rest+4*time.Hour), func() { done(w) })
}

var filter, _ = eventsource.ParseFilter(tablekeys.AggregateFilter) // it is constant and valid

// drawKind draws a kind: what it does with late events, and whether its tiers are deferred.
func drawKind(d simstream.Dice) catalog.Kind {
	k := catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: Measure}},
		Retention: tier.Policy{Raw: 30 * tier.Day24, Tiers: []tier.Tier{{Unit: tier.Hour,
			Retention: 90 * tier.Day24}, {Unit: tier.Day, Retention: tier.Forever}}},
	}
	switch d.Pick("late events", 4) {
	case 1:
		k.Late = catalog.DropLate
	case 2:
		k.Latest = catalog.NoLatest
	}
	if d.Chance("deferred", .5) {
		for i := range k.Retention.Tiers {
			k.Retention.Tiers[i].Deferred, k.Retention.Tiers[i].Grace = true, d.Span("grace",
				6*time.Hour).Truncate(time.Second)
		}
		k.Retention.Jitter = d.Span("jitter", time.Hour).Truncate(time.Second)
		if d.Chance("late changes are coalesced", .4) {
			k.Retention.LateEvery = 5 * time.Minute
		}
	}
	return k
}

var series = []string{"north", "south"}

// client carries out the operations of one client in one wave.
func (w *world) client(id, n int, d simstream.Dice) {
	w.Go(fmt.Sprintf("client %d", id), d, func(ctx context.Context) {
		c := w.newClient(id, d)
		for i := range requests {
			op := d.Part("operation", i)
			stage := (float64(n) + float64(i)/requests) / waves
			c.Operate(ctx, series, stage, op.Pick)
			if w.Sleep(ctx, op.Span("pause", 30*time.Second)) != nil {
				return
			}
		}
	})
}

// readAll reads everything at the end.
func (w *world) readAll(id int, d simstream.Dice) {
	w.Go(fmt.Sprintf("client %d", id), d, func(ctx context.Context) {
		c := w.newClient(id, d)
		for _, name := range series {
			if w.log.Kind.HasLatest() {
				c.ReadLatest(ctx, name)
			}
			for level := range w.log.Kind.Retention.Tiers {
				c.ReadRollups(ctx, name, level)
			}
		}
	})
}

func (w *world) newClient(id int, d simstream.Dice) *Client {
	skew := d.Span("clock", 2*time.Minute) - time.Minute
	now := func() model.Time { return w.Now().Add(skew) }
	random := d.Part("random").Rand()
	writer := queue.NewWriter(w.store, w.kinds)
	live := &query.Live{Store: w.store, Watermarks: w.store, Kind: query.CatalogKinds(w.kinds), Now: now,
		Parallel: 1}
	return &Client{
		ID: id, Log: w.log, Store: w.store, Now: w.Now,
		Query:  &query.Service{Store: live, Now: now},
		Ingest: func(to ingest.Store) *ingest.Service { return w.service(to, now, random, writer) },
	}
}

func (w *world) service(
	to ingest.Store, now func() model.Time, random io.Reader, writer *queue.Writer,
) *ingest.Service {
	return &ingest.Service{
		Store: to, Limits: config.Default().Limits, Now: now, Rand: random, Sleep: w.Sleep, Parallel: 1,
		RetryPolicy: retry.Policy{Attempts: 4}, Queue: writer,
	}
}

func (w *world) aggregator(p *simstream.Process) *aggregate.Aggregator {
	return &aggregate.Aggregator{
		Store: w.store, QuarantineStore: w.store, Catalog: w.kinds, Rand: p.Rand, Sleep: p.Sleep,
		Now:    func() model.Time { return w.Now().Add(p.Now().Sub(w.Now()) / 5) }, // at most a minute wrong
		Limits: aggregate.Limits{Concurrency: 1},
	}
}
