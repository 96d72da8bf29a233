package simulation

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// pipeline is a load whose events are paid for from their append to the rows of all tiers, and the
// units that an event may cost.
type pipeline struct {
	name string
	load
	write, read float64
}

// pipelines returns the loads of devices with three measures.
func pipelines() []pipeline {
	with := func(l load, latest catalog.LatestPolicy) load {
		l.latest, l.battery = latest, true
		return l
	}
	perMinute := load{perBatch: 1, every: time.Minute, lasts: 24 * time.Hour, deferred: true, warmupDays: 15}
	late, perSecond := perMinute, perMinute
	late.late = .01
	perSecond.every, perSecond.lasts = time.Second, 3*time.Hour
	minutes := perSecond
	minutes.minutes = true
	perHour := load{perBatch: 1, every: time.Hour, lasts: 20 * tier.Day24, deferred: true, hoursNow: true}
	return []pipeline{
		{
			name: "1/min, latest transaction", load: with(perMinute, catalog.TransactionLatest), write: 4.1,
			read: .25,
		},
		{name: "1/min, latest none", load: with(perMinute, catalog.NoLatest), write: 1.12, read: .25},
		{
			name: "1/min, 1 % late, latest derived", load: with(late, catalog.DerivedLatest), write: 1.15,
			read: .4,
		},
		{
			name: "batches of 60, latest transaction", load: with(deviceBatches, catalog.TransactionLatest),
			write: 2.15, read: .15,
		},
		{
			name: "batches of 60, latest derived", load: with(deviceBatches, catalog.DerivedLatest),
			write: 1.12, read: .15,
		},
		{name: "1/s, latest derived", load: with(perSecond, catalog.DerivedLatest), write: 1.05, read: .3},
		{
			name: "1/s with minutes, latest derived", load: with(minutes, catalog.DerivedLatest),
			write: 1.12, read: .3,
		},
		{
			name: "1/h, hours immediate, latest transaction", load: with(perHour, catalog.TransactionLatest),
			write: 4 + 1.25, read: 2.5,
		},
		{name: "1/min, latest derived", load: with(perMinute, catalog.DerivedLatest), write: 1.12, read: .27},
	}
}

func printPipelines(w io.Writer) {
	fmt.Fprintln(w, "\nThe whole pipeline of a device with three measures, with all tiers deferred where "+
		"nothing else is said:")
	for _, p := range pipelines() {
		u := measure(p.load)
		fmt.Fprintf(w, "%s: %.3f write %.3f read an event\n", p.name, u.allWrites(), u.perEvent(unitsRead))
	}
	fmt.Fprintln(w, "\nThe same by a number of processes of each function, 1/min:")
	for _, n := range []int{1, 8, 34} {
		printProcesses(w, n)
	}
	for _, source := range batchedSources {
		line, _ := millionADay(source)
		fmt.Fprintln(w, line)
	}
}

// printProcesses prints the units of an event where processes share the events at random.
func printProcesses(w io.Writer, n int) {
	for _, latest := range []catalog.LatestPolicy{catalog.TransactionLatest, catalog.DerivedLatest} {
		k := batteryReadings(latest)
		u, err := cost.Measure(k, cost.Load{Every: time.Minute, Batch: 1, Processes: n})
		if err != nil {
			panic(err) // no fault is simulated
		}
		fmt.Fprintf(w, "%d processes, latest %s: %.3f write %.3f read an event, $%.2f a million\n",
			n, latest, u.Write, u.Read, u.Dollars(1e6))
	}
}

// idleStage is what a stage costs in a month without any event, see docs/run/COST.md.
const idleStage = 12.68

// batchedSources are sources in which one invocation takes the messages of many devices.
var batchedSources = []string{cost.BasicBatched, cost.Queue}

// processes are how many of each function take a million events a day: one for each of four stream shards.
const processes = 4

// millionADay returns what a million events a day of devices that report once a minute cost in a month, all
// in, with latest items that are derived, in words and in dollars.
func millionADay(source string) (string, float64) {
	k := batteryReadings(catalog.DerivedLatest)
	load := cost.Load{Every: time.Minute, Batch: 1, Processes: processes}
	u, err := cost.Measure(k, load)
	if err != nil {
		panic(err) // no fault is simulated
	}
	stage := config.NewStage("prod")
	parts := cost.Bill(u, load, k, &stage, 1e6, source)
	text := lists.Map(parts, func(p cost.Part) string { return fmt.Sprintf("%s $%.2f", p.Name, p.Dollars) })
	total := cost.Total(parts) + idleStage
	return fmt.Sprintf("1,000,000 events a day, all in: %s + idle stage $%.2f = $%.2f a month",
		strings.Join(text, " + "), idleStage, total), total
}

// batteryReadings is the kind of readings with a third measure, all tiers deferred.
func batteryReadings(latest catalog.LatestPolicy) catalog.Kind {
	l := load{perBatch: 1, every: time.Minute, lasts: time.Hour, deferred: true, battery: true, latest: latest}
	return *newCostRun(l).kind
}

// openHour returns the read units of one read of an hour that ends in a minute and has a number of
// events, and how many of them it found.
func openHour(events int, minutes bool) (units int, found int64) {
	l := load{perBatch: (events + 59) / 60, every: time.Minute, lasts: 59 * time.Minute, minutes: minutes,
		deferred: true, battery: true}
	m := newCostRun(l)
	m.run()
	clear(m.units)
	kinds := newCatalog(*m.kind)
	live := &query.Live{
		Store: m.table, Watermarks: m.table, Stream: m.table, Kind: query.CatalogKinds(kinds), Now: m.clock,
	}
	service := &query.Service{Store: live, Now: m.clock}
	hour := tier.Hour.BucketAt(m.now.Add(-30 * time.Minute))
	page, err := service.Rollups(context.Background(), query.Rollups{
		Series: query.Series{Kind: m.kind, Subject: "sensor_01"}, Unit: tier.Hour, From: hour.Start, To: hour.End,
		Consistent: true,
	})
	if err != nil || len(page.Rollups) != 1 {
		panic(fmt.Sprint(len(page.Rollups), " rollups: ", err)) // no fault is simulated
	}
	return m.units[unitsRead], page.Rollups[0].Summary.Events()
}

func printOpenHours(w io.Writer) {
	fmt.Fprintln(w, "\nOne read of an open hour, in its last minute, consistent:")
	fmt.Fprintln(w, "| events in the hour | read units | with minutes |")
	fmt.Fprintln(w, "|---|---|---|")
	for _, events := range []int{60, 3_600, 50_000} {
		without, n := openHour(events, false)
		with, _ := openHour(events, true)
		fmt.Fprintf(w, "| %s | %s | %s |\n", grouped(int(n)), grouped(without), grouped(with))
	}
}

var usages sync.Map // of each load, a func() usage

// measured returns the result of measure, which it calls once for each load.
func measured(l load) usage {
	once, _ := usages.LoadOrStore(l, sync.OnceValue(func() usage { return measure(l) }))
	return once.(func() usage)()
}
