package changeover_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// process is a program that reads the table's configuration now and then.
type process struct {
	current tableconfig.Current
	kinds   *catalog.Catalog
	agg     *aggregate.Aggregator
	live    *query.Live
}

// modes is a table whose tiers become deferred and immediate while events arrive and readers
// read.
type modes struct {
	*testing.T
	table   changeover.Table
	clock   model.Time
	draw    *rand.Rand
	policy  tier.Policy // declared
	workers []*process  // recompute
	readers []*process
	memory  *memory.Table
	counts  map[string]int64 // events processed, by bucket
}

func newModes(t *testing.T, seed uint64) *modes {
	m := &modes{T: t, clock: parseTime("2026-04-20T06:00:00Z"), draw: rand.New(rand.NewPCG(seed, 0)),
		counts: map[string]int64{}}
	m.memory = memory.New(m.now)
	m.table = m.memory
	m.policy = tier.Policy{Raw: 10 * tier.Day24, Tiers: tier.Standard().Tiers}
	for range 2 {
		m.workers, m.readers = append(m.workers, m.start()), append(m.readers, m.start())
	}
	return m
}

func parseTime(text string) model.Time {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return at
}

func newCatalog(t *testing.T, p tier.Policy) *catalog.Catalog {
	t.Helper()
	kinds, err := catalog.New(catalog.Kind{
		Name: "FLOW", Subject: catalog.SubjectType{Name: "DEVICE"}, Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9}}, Retention: p,
	})
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func (m *modes) now() model.Time { return m.clock }

func (m *modes) start() *process {
	return &process{current: tableconfig.Current{Table: m.table, Now: m.now,
		Declare: func() (*catalog.Catalog, error) { return newCatalog(m.T, m.policy), nil }}}
}

// refresh makes a process read the configuration if its own is too old.
func (m *modes) refresh(p *process) {
	m.Helper()
	kinds, changed, err := p.current.Kinds(m.Context())
	if err != nil {
		m.Fatal(err)
	}
	if changed {
		p.kinds = kinds
		p.agg = &aggregate.Aggregator{
			Store: m.table, QuarantineStore: m.table, Catalog: kinds, Now: m.now, Rand: rand.NewChaCha8([32]byte{1}),
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		}
		p.live = &query.Live{Store: m.memory, Watermarks: m.table, Kind: query.CatalogKinds(kinds), Now: m.now}
	}
}

// declare declares the number of finest tiers that are immediate, and applies it.
func (m *modes) declare(immediate int) {
	m.Helper()
	tiers := append([]tier.Tier(nil), m.policy.Tiers...)
	for level := range tiers {
		tiers[level].Deferred = level >= immediate
	}
	m.policy.Tiers = tiers
	if _, err := m.changer().Apply(m.Context()); err != nil {
		m.Fatal(err)
	}
}

func (m *modes) changer() *changeover.Changer {
	return &changeover.Changer{Table: m.table, Declare: m.start().current.Declare, Now: m.now,
		MaxAhead: 5 * time.Minute}
}

// drain does what lets readers use rows again, as far as it is time.
func (m *modes) drain() {
	m.Helper()
	_, err := m.changer().EndDeferral(m.Context(), "FLOW")
	if early := (*changeover.TooEarlyError)(nil); err != nil && !errors.As(err, &early) {
		m.Fatal(err)
	}
}

// event stores an event and processes it, twice now and then.
func (m *modes) event(at model.Time, id int) {
	m.Helper()
	p := m.workers[m.draw.IntN(len(m.workers))]
	m.refresh(p)
	kind, _ := p.kinds.Kind("FLOW")
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(1))}}
	e := model.Event{
		Series: kind.Series("d1", "", model.Order{}), Order: model.Order{At: at, ID: fmt.Sprint(id)}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: m.clock, ExpiresAt: kind.Retention.EventExpiresAt(m.clock),
	}
	if _, err := m.memory.Put(m.Context(), e); err != nil {
		m.Fatal(err)
	}
	for range 1 + m.draw.IntN(2) {
		report := p.agg.Process(m.Context(),
			[]storage.Change{{Type: storage.Inserted, Key: e.Key(), After: &e, At: m.clock}})
		if len(report.Failures) > 0 {
			m.Fatal(report.Failures[0].Err)
		}
	}
	for _, t := range m.policy.Tiers {
		m.counts[t.Unit.String()+" "+t.Unit.BucketAt(at).Start.String()]++
	}
}

// check compares what a reader sees with what was processed.
func (m *modes) check() {
	m.Helper()
	p := m.readers[m.draw.IntN(len(m.readers))]
	m.refresh(p)
	kind, _ := p.kinds.Kind("FLOW")
	series := kind.Series("d1", "", model.Order{})
	got := map[string]int64{}
	for _, t := range kind.Retention.Tiers {
		page, err := p.live.Rows(m.Context(), t.Unit,
			storage.Range{Series: series, From: model.MinTime, To: model.MaxTime, Consistent: true})
		if err != nil || page.Next != "" {
			m.Fatal(err, page.Next)
		}
		for _, row := range page.Rows {
			if !row.Empty {
				got[row.Key.Tier+" "+row.Key.Start.String()] = row.Summary.Events()
			}
		}
	}
	for bucket, n := range m.counts {
		if got[bucket] != n {
			m.Fatalf("%s: a reader sees %d events of %s, want %d", m.clock, got[bucket], bucket, n)
		}
	}
}

func (m *modes) sweep() {
	p := m.workers[m.draw.IntN(len(m.workers))]
	m.refresh(p)
	shards, err := p.agg.QueueShards(m.Context())
	if err != nil {
		m.Fatal(err)
	}
	for _, shard := range shards {
		if _, err := p.agg.Sweep(m.Context(), shard.QueueShard); err != nil {
			m.Fatal(err)
		}
	}
}

// Readers see every processed event at any time, although tiers become deferred and
// immediate again, in any order, and processes learn of it at different times. The history
// is shorter than the retention of any item.
func TestChangeOver_ReadersSeeEveryProcessedEvent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		m := newModes(t, seed)
		m.declare(3)
		for step := range 200 {
			pause := 30 * time.Second // processes know different configurations
			if m.draw.IntN(8) == 0 {
				pause = 2 * time.Hour
			}
			m.clock = m.clock.Add(time.Duration(m.draw.Int64N(int64(pause))).Truncate(time.Millisecond))
			switch m.draw.IntN(10) {
			case 0:
				m.declare(m.draw.IntN(4))
			case 1:
				m.drain()
			case 2, 3:
				m.sweep()
			case 4, 5, 6:
				m.check()
			default:
				m.event(m.clock.Add(-time.Duration(m.draw.IntN(180))*time.Minute), step)
			}
		}
		m.check()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// The last step of a way back to immediate leaves nothing of the deferral: readers use the
// rows, the queue is empty, and grace may change.
func TestDrained_ReadersUseRowsAndGraceMayChange(t *testing.T) {
	t.Parallel()
	m := newModes(t, 1)
	m.declare(0)
	m.clock = m.clock.Add(2 * tableconfig.Lead)
	m.event(m.clock, 1)
	grow := func() error {
		grown := *m
		grown.policy.Tiers = slices.Clone(m.policy.Tiers)
		for i := range grown.policy.Tiers {
			grown.policy.Tiers[i].Deferred, grown.policy.Tiers[i].Grace = true, time.Minute
		}
		_, err := grown.changer().Apply(t.Context())
		return err
	}
	if err := grow(); !errors.Is(err, tableconfig.ErrRefused) ||
		!strings.Contains(err.Error(), "grace: 0s to 1m") {
		t.Errorf("a new grace of deferred tiers: %v, want it refused", err)
	}
	m.declare(3)
	m.drain()
	var early *changeover.TooEarlyError
	if _, err := m.changer().EndDeferral(t.Context(), "FLOW"); !errors.As(err, &early) ||
		early.From != m.clock.Add(tableconfig.Lead) {
		t.Errorf("drained while a process may not know that the tiers are immediate: %v", err)
	}
	m.clock = m.clock.Add(tableconfig.Lead)
	if worked, err := m.changer().EndDeferral(t.Context(), "FLOW"); err != nil || worked != 1 {
		t.Errorf("worked off %d, %v; want the hour's invalidation", worked, err)
	}
	p := m.start()
	m.refresh(p)
	if p.kinds.Kinds[0].Retention.HasDeferred() {
		t.Error("readers still fold")
	}
	items, _, err := m.memory.Scan(t.Context(), keys.Key{})
	for _, it := range items {
		if strings.HasPrefix(it.Key().PK, tablekeys.ClassInvalidation) {
			t.Errorf("left in the queue: %v", it.Key())
		}
	}
	row, rowErr := m.table.Row(t.Context(), rollup.Key{Series: p.kinds.Kinds[0].Series("d1", "", model.Order{}),
		Tier: "month", Start: parseTime("2026-04-01T00:00:00Z")})
	if err != nil || rowErr != nil || row == nil || row.Summary.Events() != 1 {
		t.Errorf("the month's row: %v, %v, %v; want one event", row, rowErr, err)
	}
	if err := grow(); err != nil {
		t.Errorf("a new grace after the drain: %v", err)
	}
	if worked, err := m.changer().EndDeferral(t.Context(), "FLOW"); worked != 0 || err != nil {
		t.Errorf("nothing to end: %d, %v", worked, err)
	}
}
