package simulation

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/cost"
	"github.com/tidemark-db/tidemark/internal/query"
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
		{"1/min, latest transaction", with(perMinute, catalog.TransactionLatest), 4.1, .25},
		{"1/min, latest none", with(perMinute, catalog.NoLatest), 1.12, .25},
		{"1/min, 1 % late, latest derived", with(late, catalog.DerivedLatest), 1.15, .4},
		{"batches of 60, latest transaction", with(deviceBatches, catalog.TransactionLatest), 2.15, .15},
		{"batches of 60, latest derived", with(deviceBatches, catalog.DerivedLatest), 1.12, .15},
		{"1/s, latest derived", with(perSecond, catalog.DerivedLatest), 1.05, .3},
		{"1/s with minutes, latest derived", with(minutes, catalog.DerivedLatest), 1.12, .3},
		{"1/h, hours immediate, latest transaction", with(perHour, catalog.TransactionLatest), 4 + 1.25, 2.5},
		{"1/min, latest derived", with(perMinute, catalog.DerivedLatest), 1.12, .25},
	}
}

// Without a transaction an event is one write unit; its rollups and the latest item are folded when
// an hour closes.
func TestCost_AnEventCostsLittleMoreThanItsAppend(t *testing.T) {
	t.Parallel()
	for _, p := range pipelines() {
		u := measured(p.load)
		if w, r := u.allWrites(), u.perEvent(unitsRead); w > p.write || r > p.read {
			t.Errorf("%s: an event costs %.3f write and %.3f read units, want at most %.2f and %.2f", p.name, w, r, p.write, p.read)
		}
	}
}

func printPipelines(w io.Writer) {
	fmt.Fprintln(w, "\nThe whole pipeline of a device with three measures, with all tiers deferred where nothing else is said:")
	for _, p := range pipelines() {
		u := measure(p.load)
		fmt.Fprintf(w, "%s: %.3f write %.3f read an event\n", p.name, u.allWrites(), u.perEvent(unitsRead))
	}
	for _, source := range batchedSources {
		line, _ := millionADay(source)
		fmt.Fprintln(w, line)
	}
}

// idleStage is what a stage costs in a month without any event, see docs/COST.md.
const idleStage = 12.58

// The line of docs/COST.md is the one that the code makes.
func TestCost_OfAMillionEventsADayIsInTheDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, source := range batchedSources {
		if line, dollars := millionADay(source); !strings.Contains(words, fmt.Sprintf("$%.2f", dollars)) {
			t.Errorf("docs/COST.md has not the total of: %s", line)
		}
	}
}

// batchedSources are sources in which one invocation takes the messages of many devices.
var batchedSources = []string{"AWS IoT Core, Basic Ingest, batched: ten messages a request", "SQS, 100 messages an invocation"}

// millionADay returns what a million events a day of devices that report once a minute cost in a month, all in, with
// latest items that are derived, in words and in dollars.
func millionADay(source string) (string, float64) {
	pipelines := pipelines()
	u := measured(pipelines[len(pipelines)-1].load)
	parts, total := cost.AllIn(cost.Units{Write: u.allWrites(), Read: u.perEvent(unitsRead), Bytes: float64(u.sizes["event"])}, 1, 1e6, 30, source)
	total += idleStage
	return fmt.Sprintf("1,000,000 events a day, all in: %s + idle stage $%.2f = $%.2f a month", strings.Join(parts, " + "), idleStage, total), total
}

func TestCost_AMillionEventsADayCostAtMostSixtyDollarsAMonth(t *testing.T) {
	t.Parallel()
	for _, source := range batchedSources {
		line, dollars := millionADay(source)
		if t.Log(line); dollars > 60 || !strings.Contains(line, source) || !strings.Contains(line, "events stored") {
			t.Errorf("%s: want at most $60, with the source and the storage", line)
		}
	}
}

// openHour returns the read units of one read of an hour that ends in a minute and has a number of
// events, and how many of them it found.
func openHour(events int, minutes bool) (units int, found int64) {
	l := load{perBatch: (events + 59) / 60, every: time.Minute, lasts: 59 * time.Minute, minutes: minutes, deferred: true, battery: true}
	m := newCostRun(l)
	m.run()
	clear(m.units)
	kinds := catalogOf(*m.kind)
	service := &query.Service{Store: &query.Live{Store: m.table, Watermarks: m.table, Kind: query.KindsOf(kinds), Now: m.clock}, Now: m.clock}
	hour := tier.Hour.BucketOf(m.now.Add(-30 * time.Minute))
	page, err := service.Rollups(context.Background(), query.Rollups{
		Series: query.Series{Kind: m.kind, Subject: "sensor_01"}, Unit: tier.Hour, From: hour.Start, To: hour.End, Consistent: true,
	})
	if err != nil || len(page.Rollups) != 1 {
		panic(fmt.Sprint(len(page.Rollups), " rollups: ", err)) // no fault is simulated
	}
	return m.units[unitsRead], page.Rollups[0].Summary.Events()
}

// A read of an open hour folds its events, or the rows of its minutes and the events of the last ones.
func TestCost_AnOpenHourOfManyEventsIsReadByItsMinutes(t *testing.T) {
	t.Parallel()
	for _, events := range []int{60, 3_600, 50_000} {
		without, n := openHour(events, false)
		with, same := openHour(events, true)
		if n == 0 || n != same {
			t.Fatalf("%d and %d events", n, same)
		}
		if events >= 3_600 && with*10 > without {
			t.Errorf("an open hour of %d events is read by %d units with minutes and %d without, want a tenth", n, with, without)
		}
		if events == 60 && with > 2*without+10 {
			t.Errorf("an open hour of %d events is read by %d units with minutes and %d without", n, with, without)
		}
	}
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
