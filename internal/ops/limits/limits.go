// Package limits says how far a configuration goes: each limit of the account and of the design, with the
// number of series at which it is reached, how to raise it, and what happens then. It computes what a series
// needs from the units that package cost measures, and sends no request.
package limits

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Load is what each series sends.
type Load struct {
	Kind  catalog.Kind
	Every time.Duration // between two events
	Batch int           // events in a request
	cost.Units
}

// NewLoad measures the units of an event.
func NewLoad(kind catalog.Kind, every time.Duration, batch int) (Load, error) {
	units, err := cost.Measure(kind, cost.Load{Every: every, Batch: batch})
	return Load{Kind: kind, Every: every, Batch: batch, Units: units}, err
}

// events returns how many events a series sends in a second.
func (l Load) events() float64 { return 1 / l.Every.Seconds() }

// requests returns how many requests a series sends in a second.
func (l Load) requests() float64 { return l.events() / float64(l.Batch) }

// Limit is one limit.
type Limit struct {
	Series int    // the number of series at which it is reached
	Name   string // with its value
	Raise  string // how to raise it
	Then   string // what happens to more series
}

// The default quotas of an account in a large Region, in November 2026. Yours may be lower, above all
// in a new account: Service Quotas has them.
const (
	tableUnits      = 40_000 // read and write units a second of a table on demand, each
	firstUnits      = 4_000  // write units a second of a new table on demand
	partitionUnits  = 1_000  // write units a second of a partition; not to be raised
	apiRequests     = 10_000 // requests a second to the HTTP APIs of an account
	concurrency     = 1_000  // invocations at once of an account
	asyncPerWorker  = 10     // asynchronous invocations a second for each of them
	iotMessages     = 20_000 // messages a second to AWS IoT of an account
	messagesOfARule = 10     // that a batched rule sends in a request
	streamRecords   = 4_000  // records a second of a new data stream on demand
)

// What the design needs.
const (
	settle        = 5 * time.Minute  // within which rows of a closed bucket are to be written
	queueUnits    = 2.               // write units of an invalidation: put and deleted
	queueWait     = 10 * time.Second // for which a sender waits
	sweepCPU      = 4 * 93e-6        // CPU seconds of a row: four requests
	cpuMemory     = 1769.            // MB of a function with one CPU
	ingestSeconds = .02              // of an invocation of ingest
	lateRows      = "rows are late by more than five minutes, reads fold the events meanwhile; nothing is lost"
	askedAgain    = "senders are asked to repeat, queues repeat by themselves, rollups are late; nothing is lost"
)

// All returns the limits of a stage, the one that is reached first at the beginning.
func All(c *config.Config, s *config.Stage, l Load) (all []Limit) {
	add := func(series float64, name, raise, then string) {
		all = append(all, Limit{Series: twoDigits(series), Name: name, Raise: raise, Then: then})
	}
	addQueue(c, s, l, add)
	addList(add)
	addTable(s, l, add)
	addSources(s, l, add)
	slices.SortStableFunc(all, func(a, b Limit) int { return cmp.Compare(a.Series, b.Series) })
	return all
}

// twoDigits rounds down to two digits: the figures are no more exact.
func twoDigits(series float64) int {
	scale := math.Pow10(max(0, int(math.Log10(max(1, series)))-1))
	return int(math.Floor(series/scale) * scale)
}

// adder adds a limit.
type adder = func(series float64, name, raise, then string)

// addQueue adds the limits of deferred tiers. All series close their buckets at the same time; a tier
// whose buckets are shorter than settle needs its units all the time.
func addQueue(c *config.Config, s *config.Stage, l Load, add adder) {
	var finest time.Duration
	for _, t := range l.Kind.Retention.Tiers {
		if d := t.Unit.Longest(); t.Deferred && (finest == 0 || d < finest) {
			finest = d
		}
	}
	if finest == 0 {
		return
	}
	within := min(settle, finest).Seconds()
	units := float64(c.Queue.Shards * partitionUnits)
	shards := fmt.Sprintf("%d shards of %s write units a second", c.Queue.Shards, grouped(partitionUnits))
	moreShards := "queue: {shards: N}, up to " + grouped(config.MaxQueueShards)
	// The next bucket's invalidations are put while the last hour's are deleted.
	add(units*within/queueUnits, "queue of closed buckets: "+shards, moreShards, lateRows)
	add(units*max(l.Every, queueWait).Seconds(), "first events of all series in a bucket: "+shards,
		moreShards, "senders wait for seconds when a bucket begins, or are asked to repeat; nothing is lost")
	memory := c.Functions.Aggregate.Memory
	most, mean := sweepers(c, s)
	add(mean*float64(memory)/cpuMemory/sweepCPU*within,
		fmt.Sprintf("sweeps: up to %d at once, %.1f on average, with %s MB, a row in %.0f µs of CPU",
			most, mean, grouped(memory), sweepCPU*1e6),
		fmt.Sprintf("functions.aggregate.memory; queue: {shards: N}; stages.%s.sweeps, up to %d",
			s.Name, config.MaxSweeps), lateRows)
}

// addList adds the limit of the list of series: a series is written once in each hour with events, or once in
// each day.
func addList(add adder) {
	add(tablekeys.SeriesShards*partitionUnits*settle.Seconds(),
		fmt.Sprintf("list of series: %d partitions of %s write units a second", tablekeys.SeriesShards,
			grouped(partitionUnits)),
		"DynamoDB divides busy partitions by itself; or several tables by a hash of the subject",
		"the table stream is behind for more than five minutes of an hour, and with it rows of late events; "+
			"nothing is lost")
}

// sweepers returns how many invocations sweep at once at most, and on average over a minute. The scheduled
// ones work alone until they hand queue shards over, each of which one invocation sweeps.
func sweepers(c *config.Config, s *config.Stage) (most int, mean float64) {
	reserved := cmp.Or(s.Reserved.Aggregate, concurrency)
	for part := range min(s.Sweeps, c.Queue.Shards) {
		shards := (c.Queue.Shards - part + s.Sweeps - 1) / s.Sweeps // each Sweeps-th from part on
		most += min(shards, config.MaxSweepers)
	}
	most = min(most, reserved)
	alone := config.HandOverAfter.Seconds() / config.AlertsEvery.Seconds()
	return most, alone*float64(min(s.Sweeps, most)) + (1-alone)*float64(most)
}

// Print prints the limits, the one that is reached first at the beginning.
func Print(w io.Writer, c *config.Config, s *config.Stage, l Load) {
	fmt.Fprintf(w, "stage %s, %s, an event in %s, %d in a request: %.2f write and %.2f read units an event\n",
		s.Name, l.Kind.Name, l.Every, l.Batch, l.Write, l.Read)
	for _, limit := range All(c, s, l) {
		fmt.Fprintf(w, "\n%11s series  %s\n", grouped(limit.Series), limit.Name)
		fmt.Fprintf(w, "%20sraise: %s\n%20sthen: %s\n", "", limit.Raise, "", limit.Then)
	}
	fmt.Fprintf(w, "\nOne series sends fewer than %s events a second: a partition takes %s write units. With\n"+
		"shards: N, its kind takes N times as much. Beyond the quotas of an account, divide the subjects by a\n"+
		"hash of their ids among several accounts: the price of an event stays, and each stage\n"+
		"costs its idle price once more.\n",
		grouped(twoDigits(partitionUnits/l.Write)), grouped(partitionUnits))
}

func grouped(n int) string { return terminal.Grouped(n) }
