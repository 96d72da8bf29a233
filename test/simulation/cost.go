package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// load is a series whose events come in batches, and how they come.
type load struct {
	perBatch int           // events a batch
	every    time.Duration // a batch
	lasts    time.Duration // what is measured
	minutes  bool          // the kind has a minute tier
	late     float64       // the part of the events that is up to ten minutes old
	again    float64       // the part of the batches that is delivered twice
	oneByOne bool          // events are appended one a request
	before   int           // days with a batch an hour, before what is measured
	whole    bool          // without resume points
}

// bill is what a load takes, in units.
type bill struct {
	load
	events int
	units  map[string]int
	sizes  map[string]int // bytes of an event, and of the newest row of each tier
	looks  int
}

func (b *bill) perEvent(what string) float64 { return float64(b.units[what]) / float64(b.events) }

// On demand, us-east-1, dollars a million, as of November 2026.
const (
	dollarsWrite = .625
	dollarsRead  = .125
)

// dollars is what keeping a million events' rollups costs, appends apart.
func (b *bill) dollars() float64 {
	return dollarsRead*b.perEvent(unitsRead) + dollarsWrite*b.perEvent(unitsRollups)
}

// meterReading is a table, its door and its aggregator, without any fault.
type meterReading struct {
	bill
	now    model.Time
	table  *metered
	kind   *catalog.Kind
	door   *ingest.Service
	agg    *aggregate.Aggregator
	random *rand.Rand
	seen   uint64
}

// measure takes the units of a load. The hour it starts in is the first of the 16th,
// so that the month's row has half of its days.
func measure(l load) bill {
	ladder := tier.Standard()
	if l.minutes {
		minute := tier.Tier{Unit: tier.Minute, Retention: ladder.Raw + 4*tier.Day24}
		ladder.Tiers = append([]tier.Tier{minute}, ladder.Tiers...)
	}
	cat := catalogOf(catalog.Kind{
		Name: kindName, Subject: catalog.SubjectType{Name: "DEVICE"}, Ladder: ladder,
		Measures: []rollup.MeasureSpec{
			{Name: "temperature", Scale: 9, Percentiles: true}, {Name: "humidity", Scale: 9, Percentiles: true},
		},
	})
	m := &meterReading{bill: bill{load: l, units: map[string]int{}, sizes: map[string]int{}}, random: rand.New(rand.NewPCG(1, 2))}
	m.kind, _ = cat.Kind(kindName)
	m.now, _ = model.ParseTime("2026-03-16T00:00:00Z", model.RejectFiner)
	now := func() model.Time { return m.now }
	m.table = newMetered(memory.New(now), func(what string, n int) { m.units[what] += n })
	random := rand.NewChaCha8([32]byte{1})
	m.door = &ingest.Service{Store: m.table, Limits: config.Default().Limits, Now: now, Rand: random, Parallel: 1}
	m.agg = &aggregate.Aggregator{Store: m.table, Quarantine: m.table, Catalog: cat, Now: now, Rand: random, Limits: aggregate.Limits{Concurrency: 1}}
	if l.whole {
		m.agg.Limits.Resume = math.Inf(1)
	}
	m.run()
	return m.bill
}

func (m *meterReading) run() {
	start := m.now
	for hour := -24 * m.before; hour < 0; hour++ {
		m.now = start.Add(time.Duration(hour) * time.Hour)
		m.batch(min(60, m.perBatch), time.Minute)
	}
	clear(m.units)
	m.events, m.looks = 0, 0
	for m.now = start.Add(m.every); m.now.Sub(start) <= m.lasts; m.now = m.now.Add(m.every) {
		m.batch(m.perBatch, m.every)
	}
	m.measureSizes(start)
}

// batch appends events of the time until now, and settles them.
func (m *meterReading) batch(n int, of time.Duration) {
	drafts := make([]ingest.Draft, n)
	for i := range drafts {
		at := m.now.Add(-of * time.Duration(n-i) / time.Duration(n))
		if m.random.Float64() < m.late {
			at = at.Add(-time.Duration(m.random.Int64N(int64(10 * time.Minute))))
		}
		drafts[i] = ingest.Draft{Subject: "sensor_01", At: at, Attrs: model.Attrs{
			{Name: "humidity", Value: m.number(40, 20)}, {Name: "temperature", Value: m.number(18, 9)},
		}}
	}
	if m.oneByOne {
		for i := range drafts {
			m.append(drafts[i : i+1])
		}
	} else {
		m.append(drafts)
	}
	changes := m.changes()
	m.events += len(changes)
	m.settle(changes)
	if m.random.Float64() < m.again {
		m.settle(changes)
	}
}

func (m *meterReading) number(from, span float64) model.Value {
	return model.NumberValue(model.MustDecimal(fmt.Sprintf("%.2f", from+span*m.random.Float64())))
}

func (m *meterReading) append(drafts []ingest.Draft) {
	if _, err := m.door.AppendEvents(context.Background(), m.kind, drafts); err != nil {
		panic(err) // nothing fails here
	}
}

func (m *meterReading) settle(changes []model.Change) {
	report := m.agg.Settle(context.Background(), changes)
	if len(report.Failures) > 0 {
		panic(report.Failures[0].Err)
	}
	m.looks += report.Looks
}

func (m *meterReading) changes() (changes []model.Change) {
	for _, r := range m.table.Records(m.seen) {
		m.seen = r.Seq
		if key, err := keys.ParseEvent(r.Keys); err == nil {
			changes = append(changes, model.Change{What: model.Inserted, Key: key, At: r.At})
			m.sizes["event"] = r.New.Size()
		}
	}
	return changes
}

func (m *meterReading) measureSizes(at model.Time) {
	series := m.kind.Series("sensor_01", "", model.Order{})
	for _, t := range m.kind.Ladder.Tiers {
		key := rollup.Key{Series: series, Tier: t.Unit.String(), Start: t.Unit.BucketOf(at).Start}
		m.sizes[t.Unit.String()] = m.table.sizes[keys.Row(key)]
	}
}

// costs prints what it costs to be right, measured.
func costs(w io.Writer) {
	fmt.Fprintln(w, "Units an event, of a device with two measures, on the 16th of a month; read without and with resume points:")
	fmt.Fprintln(w, "| k events a batch | tiers | appended one by one | appended a batch | rollups written | read | read, 1 % of batches twice | rollups, $ a million events |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|")
	for _, k := range []int{1, 10, 60} {
		for _, minutes := range []bool{false, true} {
			l := load{perBatch: k, every: time.Minute, lasts: 24 * time.Hour, minutes: minutes, before: 15}
			twice, single, whole := l, l, l
			twice.again, single.oneByOne, single.lasts, whole.whole = .01, true, time.Hour, true
			a, b, one, all := measure(l), measure(twice), measure(single), measure(whole)
			fmt.Fprintf(w, "| %d a minute | %s | %.2f | %.2f | %.2f | %.2f → %.2f | %.2f | %.2f |\n", k, tiersName(minutes),
				one.perEvent(unitsEvents), a.perEvent(unitsEvents), a.perEvent(unitsRollups), all.perEvent(unitsRead), a.perEvent(unitsRead), b.perEvent(unitsRead), a.dollars())
		}
	}
	fmt.Fprintln(w, "\nOne hour of one series in batches of 10 s, 1 % of the events late by up to 10 minutes:")
	fmt.Fprintln(w, "| events in the hour | tiers | resume points | looks | read units | read an event | written an event | the same, 1 % of batches twice | $ a million events |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, events := range []int{360, 1_800, 3_600, 10_000, 50_000} {
		for _, minutes := range []bool{false, true} {
			for _, whole := range []bool{true, false} {
				l := hotHour(events, minutes)
				l.whole = whole
				twice := l
				twice.again = .01
				a, b := measure(l), measure(twice)
				fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %.2f | %.3f | %.2f read | %.2f |\n", grouped(a.events), tiersName(minutes), map[bool]string{true: "no", false: "yes"}[whole],
					grouped(a.looks), grouped(a.units[unitsRead]), a.perEvent(unitsRead), a.perEvent(unitsRollups), b.perEvent(unitsRead), a.dollars())
				if events == 50_000 && minutes && !whole {
					defer fmt.Fprintf(w, "\nBytes: event %d; rows of minute %d, hour %d, day %d, month %d\n",
						a.sizes["event"], a.sizes["minute"], a.sizes["hour"], a.sizes["day"], a.sizes["month"])
				}
			}
		}
	}
}

// hotHour is so many events in an hour, in batches of ten seconds.
func hotHour(events int, minutes bool) load {
	return load{perBatch: (events + 359) / 360, every: 10 * time.Second, lasts: time.Hour, minutes: minutes, late: .01, before: 15}
}

func tiersName(minutes bool) string {
	if minutes {
		return "minute, hour, day, month"
	}
	return "hour, day, month"
}
