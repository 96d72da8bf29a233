// Package cost measures what the events of a kind cost. It runs the deployed code on a table in
// memory, and counts the capacity units of its requests from the sizes of the items.
package cost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Load is how the events of one series arrive.
type Load struct {
	Every time.Duration // between two events
	Batch int           // events of a request
	Pad   int           // bytes of an event in addition to its declared fields
	// Processes are how many of ingest and of aggregate share the requests and the batches at random; 0 is one.
	// Each remembers for itself which buckets are in the queue.
	Processes int
	// Series send in turn at the rate of the load; 0 is one. All are members of one group of each level.
	Series int
	// Sessions are the kinds whose sessions are folded from the events.
	Sessions []catalog.Kind
}

// Units are what an event costs on average, append and rollups together.
type Units struct {
	Write, Read float64 // capacity units
	Bytes       float64 // of the stored event
}

// Dollars returns the price of so many events, on demand.
func (u Units) Dollars(events float64) float64 {
	return events * (u.Write*WriteUnit.Dollars + u.Read*ReadUnit.Dollars)
}

const (
	warmup = 15 * tier.Day24 // with an event an hour, so that the rows of a month have children
	start  = "2026-03-16T00:00:00Z"

	frequent = 10 * time.Second
	padding  = "padding" // a field of events that are larger than their declared fields
)

// FoldedSessions returns the kinds of a catalog whose sessions are folded from a kind's events alone.
func FoldedSessions(kinds *catalog.Catalog, kind string) (all []catalog.Kind) {
	for _, k := range kinds.SessionKinds(kind) {
		if k.Sessions.Of == kind {
			all = append(all, *k)
		}
	}
	return all
}

// Measure runs a load of one series of a kind that has events. It takes milliseconds to seconds.
func Measure(kind catalog.Kind, load Load) (Units, error) {
	kinds, err := catalog.New(append([]catalog.Kind{kind}, load.Sessions...)...)
	if err != nil {
		return Units{}, err
	}
	m := &run{
		kind: &kinds.Kinds[0], random: rand.New(rand.NewPCG(1, 2)), shards: map[storage.QueueShard]bool{},
	}
	begin, _ := model.ParseTime(start, model.RejectFinerTime)
	clock := func() model.Time { return m.now }
	m.table = &Metered{Table: memory.New(clock)}
	random := rand.NewChaCha8([32]byte{1})
	limits := config.Default().Limits
	limits.Text = max(limits.Text, load.Pad)
	for range max(1, load.Processes) {
		m.ingest = append(m.ingest, &ingest.Service{
			Store: m.table, Limits: limits, Now: clock, Rand: random, Parallel: 1,
			Queue: queue.NewWriter(m.table, kinds),
		})
		m.aggregate = append(m.aggregate, &aggregate.Aggregator{
			Store: m.table, QuarantineStore: m.table, Catalog: kinds, Now: clock, Rand: random,
			Limits: aggregate.Limits{Concurrency: 1},
		})
	}

	for series := range max(1, load.Series) {
		if err := m.join(exampleSubject(series), begin.Add(-warmup)); err != nil {
			return Units{}, err
		}
	}
	if err := m.play(begin.Add(-warmup), begin,
		Load{Every: time.Hour, Batch: 1, Series: load.Series}); err != nil {
		return Units{}, err
	}
	m.table.settle()
	m.read = 0
	m.table.written = 0
	m.table.bytes = 0
	m.events = 0
	lasts := min(max(500*load.Every, tier.Day24), 15*tier.Day24).Truncate(tier.Day24)
	if load.Every < frequent {
		lasts = 3 * time.Hour // more events than of a rarer load in a day
	}
	if err := m.play(begin, begin.Add(lasts), load); err != nil {
		return Units{}, err
	}
	n := float64(m.events)
	return Units{Write: float64(m.table.WriteUnits()) / n, Read: m.read / n, Bytes: float64(m.table.bytes) / n},
		nil
}

// run is a table with its ingest service and aggregator.
type run struct {
	kind      *catalog.Kind
	table     *Metered
	ingest    []*ingest.Service
	aggregate []*aggregate.Aggregator
	random    *rand.Rand
	now       model.Time
	events    int
	shards    map[storage.QueueShard]bool // that had an invalidation
	seen      uint64
	read      float64
}

// phase is how long after the full hour a request is sent that has all events since the one before:
// senders know nothing of hours.
const phase = 30 * time.Minute

// play appends the load of [from, to), processes each request and sweeps after each hour.
func (r *run) play(from, to model.Time, load Load) error {
	step := load.Every * time.Duration(load.Batch)
	swept := from
	for r.now = from.Add(phase % step); r.now < to; r.now = r.now.Add(step) {
		for series := range max(1, load.Series) {
			if err := r.request(load, series); err != nil {
				return err
			}
		}
		if r.now.Sub(swept) < time.Hour {
			continue
		}
		swept = tier.Hour.BucketAt(r.now).Start
		if err := r.sweep(); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) request(load Load, series int) error {
	observations := make([]ingest.TypedObservation, load.Batch)
	for i := range observations {
		at := r.now.Add(-load.Every * time.Duration(load.Batch-1-i))
		observations[i] = ingest.TypedObservation{
			Subject: exampleSubject(series), At: at, ID: r.id(), Attrs: r.attrs(load.Pad),
		}
	}
	ctx, meter := model.WithReadMeter(context.Background())
	results, err := one(r.random, r.ingest).AppendEvents(ctx, r.kind, observations)
	if err != nil {
		return fmt.Errorf("append an example event of kind %s: %w", r.kind.Name, err)
	}
	r.events += len(results)
	report := one(r.random, r.aggregate).Process(ctx, r.changes())
	r.read += meter.Cost().Units
	return firstError(report)
}

// one returns one of the processes at random.
func one[T any](random *rand.Rand, processes []T) T { return processes[random.IntN(len(processes))] }

// sweep sweeps twice. What the second sweep reads, which finds nothing due, is shared by all series.
func (r *run) sweep() error {
	for _, shard := range append(storage.FirstGeneration.QueueShards(), storage.GroupShard) {
		if !r.shards[shard] {
			continue
		}
		for _, share := range []float64{1, -1} {
			ctx, meter := model.WithReadMeter(context.Background())
			report, err := one(r.random, r.aggregate).Sweep(ctx, shard)
			if err == nil {
				err = firstError(report.Report)
			}
			if err != nil {
				return err
			}
			r.read += share * meter.Cost().Units
		}
	}
	return nil
}

func firstError(r aggregate.Report) error {
	if len(r.Failures) > 0 {
		return r.Failures[0].Err
	}
	return nil
}

// id returns an event id where the kind needs one.
func (r *run) id() string {
	if r.kind.IDs == catalog.RequiredID {
		return fmt.Sprintf("%016x", r.random.Uint64())
	}
	return ""
}

const exampleGroup = "group_01"

func exampleSubject(series int) string { return fmt.Sprintf("subject_%02d", series+1) }

// join stores the log of the groups that a subject is in by its profile.
func (r *run) join(subject string, from model.Time) error {
	log := storage.Memberships{Subject: model.Subject{Type: r.kind.Subject.Name, ID: subject}}
	entry := storage.Membership{From: from.Add(-tier.Day24), Fields: map[string]string{}}
	for _, g := range r.kind.GroupKinds() {
		for _, field := range g.GroupBy {
			if g.GroupByProfile {
				entry.Fields[field] = exampleGroup
			}
		}
	}
	if len(entry.Fields) == 0 {
		return nil
	}
	log.Log = append(log.Log, entry)
	return r.table.PutItem(context.Background(), item.FromMemberships(&log))
}

// attrs returns the fields of an example event: every declared field, and one measure at least.
func (r *run) attrs(pad int) (attrs model.Attrs) {
	known := map[string]bool{}
	add := func(name string, v model.Value) {
		if name != "" && !known[name] {
			known[name] = true
			attrs = append(attrs, model.Attr{Name: name, Value: v})
		}
	}
	number := model.NumberValue(model.MustDecimal(fmt.Sprintf("%.2f", 10+20*r.random.Float64())))
	for _, m := range r.kind.Measures {
		add(m.Name, number)
	}
	if len(r.kind.Measures) == 0 {
		add("value", number)
	}
	text := model.TextValue(fmt.Sprintf("value_%02d", r.random.IntN(100)))
	for _, d := range r.kind.Dimensions {
		if !d.IsPair() {
			add(d.Name, text)
		}
	}
	for _, name := range append(r.kind.Distinct, r.kind.IndexBy) {
		add(name, text)
	}
	if r.kind.OrderType == catalog.NumberOrder {
		text = number
	}
	add(r.kind.OrderBy, text)
	for _, g := range r.kind.GroupKinds() {
		for _, field := range g.GroupBy {
			if !g.GroupByProfile {
				add(field, model.TextValue(exampleGroup))
			}
		}
	}
	if pad > 0 {
		add(padding, model.TextValue(strings.Repeat("x", pad)))
	}
	return attrs
}

// changes returns the events since the last call, as the table stream delivers them.
func (r *run) changes() (changes []storage.Change) {
	for _, record := range r.table.Records(r.seen) {
		r.seen = record.Seq
		if shard, err := tablekeys.ParseInvalidationPartition(record.Keys.PK); err == nil {
			r.shards[shard] = true
		}
		if key, err := keys.ParseEvent(record.Keys); err == nil {
			change := storage.Change{Type: storage.Inserted, Key: key, At: record.At}
			if e, err := item.Event(record.New); err == nil {
				change.After = &e // its fields name its groups
			}
			changes = append(changes, change)
		}
	}
	return changes
}
