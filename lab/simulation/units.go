package simulation

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// load is how the events of one series arrive in batches.
type load struct {
	perBatch    int           // events per batch
	every       time.Duration // between two batches
	lasts       time.Duration // of the measurement
	minutes     bool          // the kind has a minute tier
	late        float64       // fraction of the events that is up to ten minutes old
	redelivered float64       // fraction of the batches that is delivered twice
	oneByOne    bool          // each event is appended by its own request
	warmupDays  int           // days with one batch an hour before the measurement
	deferred    bool          // all tiers are deferred
	hoursNow    bool          // but hours are immediate
	battery     bool          // events have a third measure
	latest      catalog.LatestPolicy
}

// usage is the capacity units that a load consumes.
type usage struct {
	load
	events         int
	units          map[string]int
	sizes          map[string]int // in bytes, of an event and of the newest row of each tier
	recomputations int
}

func (u *usage) perEvent(name string) float64 { return float64(u.units[name]) / float64(u.events) }

// allWrites returns the write units of an event and its rollups.
func (u *usage) allWrites() float64 { return u.perEvent(unitsEvents) + u.perEvent(unitsRollups) }

// deviceBatches is a device that sends the readings of an hour in one batch.
var deviceBatches = load{perBatch: 60, every: time.Hour, lasts: 24 * time.Hour, deferred: true,
	warmupDays: 15}

// dollars returns the cost of the rollups of a million events, without their appends.
func (u *usage) dollars() float64 {
	return cost.Units{Read: u.perEvent(unitsRead), Write: u.perEvent(unitsRollups)}.Dollars(1e6)
}

// costRun is a table with its ingest service and aggregator, without faults.
type costRun struct {
	usage
	now    model.Time
	table  *metered
	kind   *catalog.Kind
	ingest *ingest.Service
	agg    *aggregate.Aggregator
	random *rand.Rand
	seen   uint64
}

// measure counts the units of a load. It starts on the 16th at midnight, when the month's
// row has half of its days.
func measure(l load) usage {
	m := newCostRun(l)
	m.run()
	return m.usage
}

// newCostRun returns an empty table for a load.
func newCostRun(l load) *costRun {
	policy := tier.Standard()
	if l.minutes {
		minute := tier.Tier{Unit: tier.Minute, Retention: policy.Raw + 4*tier.Day24}
		policy.Tiers = append([]tier.Tier{minute}, policy.Tiers...)
	}
	for level := range policy.Tiers {
		policy.Tiers[level].Deferred = l.deferred && !(l.hoursNow && policy.Tiers[level].Unit == tier.Hour)
	}
	cat := newCatalog(catalog.Kind{
		Name: kindName, Subject: catalog.SubjectType{Name: "DEVICE"}, Retention: policy, Latest: l.latest,
		Measures: []rollup.MeasureSpec{
			{Name: "temperature", Scale: 9, Percentiles: true}, {Name: "humidity", Scale: 9, Percentiles: true},
			{Name: "battery", Scale: 9, Percentiles: true},
		},
	})
	m := &costRun{usage: usage{load: l, units: map[string]int{}, sizes: map[string]int{}},
		random: rand.New(rand.NewPCG(1, 2))}
	m.kind, _ = cat.Kind(kindName)
	m.now, _ = model.ParseTime("2026-03-16T00:00:00Z", model.RejectFinerTime)
	m.table = newMetered(memory.New(m.clock), func(name string, n int) { m.units[name] += n })
	random := rand.NewChaCha8([32]byte{1})
	m.ingest = &ingest.Service{
		Store: m.table, Limits: config.Default().Limits, Now: m.clock, Rand: random, Parallel: 1,
		Queue: queue.NewWriter(m.table, cat),
	}
	m.agg = &aggregate.Aggregator{Store: m.table, QuarantineStore: m.table, Catalog: cat, Now: m.clock,
		Rand: random, Limits: aggregate.Limits{Concurrency: 1}}
	return m
}

func (m *costRun) clock() model.Time { return m.now }

func (m *costRun) run() {
	start := m.now
	for hour := -24 * m.warmupDays; hour < 0; hour++ {
		m.now = start.Add(time.Duration(hour) * time.Hour)
		m.batch(min(60, m.perBatch), time.Minute)
	}
	clear(m.units)
	m.events, m.recomputations = 0, 0
	for m.now = start.Add(m.every); m.now.Sub(start) <= m.lasts; m.now = m.now.Add(m.every) {
		m.batch(m.perBatch, m.every)
	}
	m.measureSizes(start)
}

// batch appends n events of the duration before now, and processes them.
func (m *costRun) batch(n int, of time.Duration) {
	observations := make([]ingest.TypedObservation, n)
	for i := range observations {
		at := m.now.Add(-of * time.Duration(n-i) / time.Duration(n))
		if m.random.Float64() < m.late {
			at = at.Add(-time.Duration(m.random.Int64N(int64(10 * time.Minute))))
		}
		observations[i] = ingest.TypedObservation{Subject: "sensor_01", At: at, Attrs: model.Attrs{
			{Name: "humidity", Value: m.number(40, 20)}, {Name: "temperature", Value: m.number(18, 9)},
		}}
	}
	for i := range observations {
		if m.battery {
			observations[i].Attrs = append(model.Attrs{{Name: "battery", Value: m.number(3, 1)}},
				observations[i].Attrs...)
		}
	}
	if m.oneByOne {
		for i := range observations {
			m.append(observations[i : i+1])
		}
	} else {
		m.append(observations)
	}
	changes := m.changes()
	m.events += len(changes)
	m.process(changes)
	m.sweep()
	if m.random.Float64() < m.redelivered {
		m.process(changes)
	}
}

func (m *costRun) number(from, span float64) model.Value {
	return model.NumberValue(model.MustDecimal(fmt.Sprintf("%.2f", from+span*m.random.Float64())))
}

func (m *costRun) append(observations []ingest.TypedObservation) {
	if _, err := m.ingest.AppendEvents(context.Background(), m.kind, observations); err != nil {
		panic(err) // no fault is simulated
	}
}

func (m *costRun) process(changes []storage.Change) {
	report := m.agg.Process(context.Background(), changes)
	if len(report.Failures) > 0 {
		panic(report.Failures[0].Err)
	}
	m.recomputations += report.Recomputed
}

// sweep sweeps the queue shard of the series, if tiers are deferred.
func (m *costRun) sweep() {
	if !m.deferred {
		return
	}
	report, err := m.agg.Sweep(context.Background(),
		storage.FirstGeneration.Shard(m.kind.Series("sensor_01", "", model.Order{})))
	if err != nil || len(report.Failures) > 0 {
		panic(fmt.Sprint(err, report.Failures))
	}
}

func (m *costRun) changes() (changes []storage.Change) {
	for _, r := range m.table.Records(m.seen) {
		m.seen = r.Seq
		if key, err := keys.ParseEvent(r.Keys); err == nil {
			changes = append(changes, storage.Change{Type: storage.Inserted, Key: key, At: r.At})
			m.sizes["event"] = r.New.Size()
		}
	}
	return changes
}

func (m *costRun) measureSizes(at model.Time) {
	series := m.kind.Series("sensor_01", "", model.Order{})
	for _, t := range m.kind.Retention.Tiers {
		key := rollup.Key{Series: series, Tier: t.Unit.String(), Start: t.Unit.BucketAt(at).Start}
		m.sizes[t.Unit.String()] = m.table.sizes[keys.Row(key)]
	}
}

// printCosts prints the measured units and costs of rollups.
func printCosts(w io.Writer) {
	fmt.Fprintln(w, "Units per event of a device with two measures, on the 16th of a month, with immediate tiers:")
	fmt.Fprintln(w, "| events per batch | tiers | appended one by one | appended in batches | rollups written | read | read, 1 % of batches twice | rollups, $ per million events |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, k := range []int{1, 10, 60} {
		for _, minutes := range []bool{false, true} {
			l := load{perBatch: k, every: time.Minute, lasts: 24 * time.Hour, minutes: minutes, warmupDays: 15}
			twice, single := l, l
			twice.redelivered = .01
			single.oneByOne = true
			single.lasts = time.Hour
			a := measure(l)
			b := measure(twice)
			one := measure(single)
			fmt.Fprintf(w, "| %d a minute | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", k, tiersName(minutes),
				one.perEvent(unitsEvents), a.perEvent(unitsEvents), a.perEvent(unitsRollups), a.perEvent(unitsRead),
				b.perEvent(unitsRead), a.dollars())
		}
	}
	fmt.Fprintln(w, "\nOne hour of one series in batches of 10 s, 1 % of the events up to 10 minutes late:")
	fmt.Fprintln(w, "| events in the hour | tiers | recomputations | read units | read per event | written per event | read per event, 1 % of batches twice | $ per million events |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, events := range []int{360, 1_800, 3_600, 10_000, 50_000} {
		for _, minutes := range []bool{false, true} {
			l := hotHour(events, minutes)
			twice := l
			twice.redelivered = .01
			a, b := measure(l), measure(twice)
			fmt.Fprintf(w, "| %s | %s | %s | %s | %.2f | %.3f | %.2f read | %.2f |\n", grouped(a.events),
				tiersName(minutes), grouped(a.recomputations), grouped(a.units[unitsRead]), a.perEvent(unitsRead),
				a.perEvent(unitsRollups),
				b.perEvent(unitsRead), a.dollars())
			if events == 50_000 && minutes {
				defer fmt.Fprintf(w, "\nBytes: event %d; rows of minute %d, hour %d, day %d, month %d\n",
					a.sizes["event"], a.sizes["minute"], a.sizes["hour"], a.sizes["day"], a.sizes["month"])
			}
		}
	}
}

// printDeferredCosts prints the measured units of rollups of deferred tiers.
func printDeferredCosts(w io.Writer) {
	fmt.Fprintln(w, "\nRollups with all tiers deferred, without the appends and without idle sweeps:")
	perMinute := load{perBatch: 1, every: time.Minute, lasts: 24 * time.Hour, deferred: true, warmupDays: 15}
	late, perSecond := perMinute, perMinute
	late.late = .01
	perSecond.every = time.Second
	perSecond.lasts = 3 * time.Hour
	perHour := load{perBatch: 1, every: time.Hour, lasts: 20 * tier.Day24, deferred: true, hoursNow: true}
	for _, l := range []struct {
		name string
		load
	}{{"1/min", perMinute}, {"1/min, 1 % late", late}, {"1/s", perSecond}, {"1/h, hours immediate", perHour}} {
		u := measure(l.load)
		fmt.Fprintf(w, "%s, deferred: %.3f write %.3f read an event, $%.3f per million events\n", l.name,
			u.perEvent(unitsRollups), u.perEvent(unitsRead), u.dollars())
	}
	printOpenHours(w)
	printPipelines(w)
	printOtherDesigns(w)
}

// printOtherDesigns prints what other designs write for an event a minute, with items of the
// sizes that ours have. They store an event, the latest item, and a counter for each of three
// tiers. A write in a transaction takes two units for each KB.
func printOtherDesigns(w io.Writer) {
	u := measure(load{perBatch: 1, every: time.Minute, lasts: 3 * time.Hour, warmupDays: 1})
	event := writeUnits(u.sizes["event"])
	counters := writeUnits(u.sizes["hour"]) + writeUnits(u.sizes["day"]) + writeUnits(u.sizes["month"])
	fmt.Fprintf(w, "a put, a latest item and three ADD counters, wrong after a repeat: %d write an event\n",
		2*event+counters)
	fmt.Fprintf(w, "an event and three counters in one transaction, the pattern of AWS's samples: %d write an event\n", 2*(event+counters))
}

// hotHour is a number of events in an hour, in batches of ten seconds.
func hotHour(events int, minutes bool) load {
	return load{perBatch: (events + 359) / 360, every: 10 * time.Second, lasts: time.Hour, minutes: minutes,
		late: .01, warmupDays: 15}
}

func tiersName(minutes bool) string {
	if minutes {
		return "minute, hour, day, month"
	}
	return "hour, day, month"
}
