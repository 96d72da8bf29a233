package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var million = flag.Bool("million", false, "simulate a million devices")

// What the simulated fleet has, at full size.
const (
	partitionUnits  = 1000                   // write units a second of a partition
	cpuOfARequest   = 161 * time.Microsecond // of aggregate, with 1,024 MB: 93 µs of a whole CPU
	cpuOfARecord    = 7 * time.Microsecond   // decoded and found to need nothing
	tableLatency    = 5 * time.Millisecond   // of a request
	ingestProcesses = 333                    // 16,667 requests a second of 20 ms each
	streamShards    = 20                     // of the table stream
	bucketsOfAChunk = 500                    // of a sweep
	sendEvery       = time.Minute            // of a device
	sendAgain       = time.Second            // after an event that was not stored; doubled each time
	warmUp          = 10 * time.Minute       // before the hour
	settleWithin    = 5 * time.Minute        // after the hour
)

// fleet is a deployment with a large number of devices. One of its series stands for scale series: a
// partition that many share takes 1/scale of its units, and the work of a sweep takes scale times as long.
// There are fewer stream shards, each as much slower as it has less to do. A device's own partition, and the
// number of processes of ingest, are as they are. Its clock is virtual.
type fleet struct {
	t      *testing.T
	scale  int
	server *protocol.Server
	kinds  *catalog.Catalog
	kind   *catalog.Kind
	series []model.Series
	lanes  []chan storage.Change
	hour   tier.Bucket
	ends   model.Time     // devices send until then
	inHour []atomic.Int64 // events of each series in the hour
	within []int          // series that were settled after each minute

	running           sync.WaitGroup
	sent, again, lost atomic.Int64 // events, attempts after the first, events without an outcome
	unqueued          atomic.Int64
	slowest, furthest atomic.Int64 // of an event until it is stored, and behind it until it is processed; ms
	metrics, logs     stdout
}

func newFleet(t *testing.T, scale, devices int, unit tier.Unit, shards int) *fleet {
	t.Helper()
	f := &fleet{t: t, scale: scale}
	now := func() model.Time { return model.NewTime(time.Now()) }
	f.server = protocol.New("us-east-1", now)
	f.server.SetFaults(protocol.Faults{
		PartitionWrites: partitionUnits, PartitionReads: 3 * partitionUnits, Share: f.share,
	})
	kind := catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Latest: catalog.DerivedLatest, Retention: tier.Standard().Defer()}
	if unit == tier.Minute {
		minutes := tier.Tier{Unit: tier.Minute, Retention: 40 * tier.Day24, Deferred: true}
		kind.Retention.Tiers = append([]tier.Tier{minutes}, kind.Retention.Tiers...)
	}
	var err error
	if f.kinds, err = catalog.New(kind); err != nil {
		t.Fatal(err)
	}
	f.kind, _ = f.kinds.Kind(kind.Name)
	table := f.process(nil)
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	changeQueue(t, table, storage.Generations{
		{Shards: storage.FirstGeneration.Shards, RetiredAt: now()}, {Number: 1, Shards: shards},
	})
	for n := range devices / f.scale {
		f.series = append(f.series, f.kind.Series(fmt.Sprint("d", n), "", model.Order{}))
	}
	f.inHour = make([]atomic.Int64, len(f.series))
	for range max(1, streamShards/f.scale) {
		f.lanes = append(f.lanes, make(chan storage.Change, 100_000))
	}
	return f
}

// share returns which part of its units a partition takes: those that many series share, one of scale.
func (f *fleet) share(partition string) float64 {
	for _, shared := range []string{tablekeys.ClassInvalidation, tablekeys.ClassSeries} {
		if strings.HasPrefix(partition, shared+"#") {
			return 1 / float64(f.scale)
		}
	}
	return 1
}

// cpu is what a process works with, one request at a time; nil for one that is never busy.
type cpu struct {
	slower float64 // how many times as long each work takes
	busy   chan struct{}
}

func newCPU(slower float64) *cpu { return &cpu{slower: slower, busy: make(chan struct{}, 1)} }

// work takes CPU time.
func (c *cpu) work(d time.Duration) {
	c.busy <- struct{}{}
	time.Sleep(time.Duration(c.slower * float64(d)))
	<-c.busy
}

// process returns the table as a process uses it.
func (f *fleet) process(c *cpu) *dynamo.Table {
	return dynamo.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", HTTPClient: &link{server: f.server, cpu: c},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}), "tidemark")
}

// link carries requests from a process to the table.
type link struct {
	server *protocol.Server
	cpu    *cpu
}

func (w *link) Do(r *http.Request) (*http.Response, error) {
	if w.cpu != nil {
		w.cpu.work(cpuOfARequest)
	}
	time.Sleep(tableLatency)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	out := httptest.NewRecorder()
	w.server.ServeHTTP(out, r)
	return out.Result(), nil
}

// start starts the devices, the table stream and the sweeps.
func (f *fleet) start() {
	var processes []*ingest.Service
	for range ingestProcesses {
		table := f.process(nil)
		processes = append(processes, &ingest.Service{
			Store: table, PurgeLocks: table, Limits: config.Default().Limits, Rand: rand.Reader,
			Now:        func() model.Time { return model.NewTime(time.Now()) },
			Queue:      queue.NewWriter(table, f.kinds),
			OnUnqueued: func(events []model.EventKey, _ error) { f.unqueued.Add(int64(len(events))) },
		})
	}
	for n := range f.series {
		f.running.Go(func() { f.send(n, processes) })
	}
	for _, lane := range f.lanes {
		f.running.Go(func() { f.processLane(lane) })
	}
}

// send is a device. Its clock is right, and it repeats what was not stored, in order.
func (f *fleet) send(n int, processes []*ingest.Service) {
	dice := mathrand.New(mathrand.NewPCG(1, uint64(n)))
	time.Sleep(time.Duration(dice.Int64N(int64(sendEvery))))
	series := f.series[n]
	for next := time.Now(); model.NewTime(next) < f.ends; next = next.Add(sendEvery) {
		time.Sleep(time.Until(next))
		at := model.NewTime(time.Now())
		o := ingest.TypedObservation{Subject: series.Subject.ID, At: at,
			Attrs: model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(int64(n)))}}}
		f.sent.Add(1)
		for pause := sendAgain; ; pause *= 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
			results, err := processes[dice.IntN(len(processes))].AppendEvents(ctx, f.kind,
				[]ingest.TypedObservation{o})
			cancel()
			if err == nil && results[0].Outcome == model.Applied || results[0].Outcome == model.Duplicate {
				if at < f.hour.End {
					f.inHour[n].Add(1)
				}
				raise(&f.slowest, model.NewTime(time.Now()).Sub(at))
				f.lanes[n%len(f.lanes)] <- storage.Change{
					Type: storage.Inserted, At: model.NewTime(time.Now()), Seq: fmt.Sprint(n),
					Key: results[0].Key,
				}
				break
			}
			if pause > time.Minute {
				f.lost.Add(1)
				f.t.Errorf("%s: %v %v", series, results[0].Outcome, err)
				break
			}
			f.again.Add(1)
			time.Sleep(pause)
		}
	}
}

func raise(most *atomic.Int64, d time.Duration) {
	for {
		known := most.Load()
		if d.Milliseconds() <= known || most.CompareAndSwap(known, d.Milliseconds()) {
			return
		}
	}
}

// processLane is the process of aggregate for one stream shard.
func (f *fleet) processLane(lane chan storage.Change) {
	mapping := config.Default().Mapping
	work := newCPU(float64(len(f.lanes)*f.scale) / streamShards)
	table := f.process(work)
	a := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: f.kinds,
		Now: func() model.Time { return model.NewTime(time.Now()) }}
	for {
		var batch []storage.Change
		window := time.After(mapping.Window)
	collect:
		for len(batch) < mapping.BatchSize {
			select {
			case c := <-lane:
				batch = append(batch, c)
			case <-window:
				break collect
			}
		}
		if len(batch) == 0 {
			if model.NewTime(time.Now()) > f.ends.Add(settleWithin) {
				return
			}
			continue
		}
		work.work(time.Duration(len(batch)) * cpuOfARecord)
		oldest := batch[0].At
		for len(batch) > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute-headroom)
			report := a.Process(ctx, batch)
			cancel()
			if len(report.Failures) == 0 {
				break
			}
			batch = batch[report.Failures[0].Change:]
			time.Sleep(time.Second)
		}
		raise(&f.furthest, model.NewTime(time.Now()).Sub(oldest))
	}
}

// InvokeEvent accepts an event of the function for itself.
func (f *fleet) InvokeEvent(_ context.Context, payload []byte) error {
	f.running.Go(func() {
		time.Sleep(startTime)
		f.invoke(payload)
	})
	return nil
}

// invoke carries out a scheduled invocation, or one of a handover, in a process of its own.
func (f *fleet) invoke(payload []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	now := func() model.Time { return model.NewTime(time.Now()) }
	table := f.process(newCPU(float64(f.scale)))
	h := &handler{
		sweeper: &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: f.kinds, Now: now,
			Limits: aggregate.Limits{Buckets: max(1, bucketsOfAChunk/f.scale)}},
		log: telemetry.NewLogger(&f.logs, nil), self: f,
		metrics: &telemetry.Emitter{Out: &f.metrics, Now: now},
	}
	if _, err := h.Invoke(ctx, payload); err != nil {
		f.t.Error(err)
	}
}

// sweepUntil lets the schedule invoke aggregate each minute, until a time.
func (f *fleet) sweepUntil(end model.Time) {
	for model.NewTime(time.Now()) < end {
		f.running.Go(func() { f.invoke([]byte(envelope.Part{Sweep: 0, Sweeps: 1}.Payload())) })
		time.Sleep(config.AlertsEvery)
	}
}

// settled returns how many series have the row of the hour, with all events that were stored in it.
func (f *fleet) settled() (n int) {
	f.t.Helper()
	table := f.server.Table("tidemark")
	for i, s := range f.series {
		key := rollup.Key{Series: s, Tier: tier.Hour.String(), Start: f.hour.Start}
		it, _ := table.Get(tablekeys.Row(key))
		if it == nil {
			continue
		}
		row, err := item.Row(it)
		if err != nil {
			f.t.Fatal(err)
		}
		if row.Exact && row.Summary.Events() == f.inHour[i].Load() {
			n++
		}
	}
	return n
}

// report prints what the fleet met.
func (f *fleet) report() string {
	classes := map[string]int{}
	for pk, n := range f.server.Throttles("tidemark") {
		class, _, _ := strings.Cut(pk, "#")
		classes[class] += n
	}
	return fmt.Sprintf("%d events, %d repeated by their devices, %d lost; the slowest stored after %s, "+
		"processed after %s; not queued %d; throttled %v", f.sent.Load(), f.again.Load(), f.lost.Load(),
		time.Duration(f.slowest.Load())*time.Millisecond, time.Duration(f.furthest.Load())*time.Millisecond,
		f.unqueued.Load(), classes)
}

func TestFleet_TheShippedConfigurationSettlesWhatItsLimitsSay(t *testing.T) {
	f := play(t, 400, 240_000, 4, tier.Hour)
	if f.again.Load() > 0 || f.lost.Load() > 0 || f.within[len(f.within)-1] != len(f.series) {
		t.Errorf("%d of %d settled within five minutes, %d events repeated, %d lost",
			f.within[len(f.within)-1], len(f.series), f.again.Load(), f.lost.Load())
	}
}

// Run by make million: it takes some minutes.
func TestMillion_SettlesWithinFiveMinutesOfTheHour(t *testing.T) {
	if !*million {
		t.Skip("simulates a million devices for some minutes: make million")
	}
	for _, c := range []struct {
		devices, shards int
		unit            tier.Unit
		enough          bool // queue shards, see TestAll_HasTheNumberOfSeriesOfEachLimit of package limits
	}{
		{1_000_000, 32, tier.Hour, true},
		{200_000, 16, tier.Minute, true},
		{1_000_000, 4, tier.Hour, false},
	} {
		t.Run(fmt.Sprint(c.devices, c.unit, c.shards), func(t *testing.T) {
			f := play(t, 100, c.devices, c.shards, c.unit)
			if all := f.within[len(f.within)-1] == len(f.series); all != c.enough || f.lost.Load() > 0 {
				t.Errorf("settled within five minutes: %v of %d, want all: %t; %d events lost", f.within,
					len(f.series), c.enough, f.lost.Load())
			}
		})
	}
}

// play lets devices send around the end of an hour.
func play(t *testing.T, scale, devices, shards int, unit tier.Unit) (f *fleet) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f = newFleet(t, scale, devices, unit, shards)
		f.hour = tier.Hour.BucketAt(model.NewTime(time.Now().Add(2 * time.Hour)))
		f.ends = f.hour.End.Add(settleWithin)
		time.Sleep(time.Until(f.hour.End.Add(-warmUp).Time()))
		f.start()
		f.running.Go(func() { f.sweepUntil(f.ends.Add(4 * settleWithin)) })
		time.Sleep(warmUp)
		before := f.report()
		f.furthest.Store(0)
		f.slowest.Store(0)
		for range int(settleWithin / time.Minute) {
			time.Sleep(time.Minute)
			f.within = append(f.within, f.settled())
		}
		t.Logf("%d devices in %d queue shards, one series for %d: until the hour %s;\n"+
			"settled minute by minute %v of %d;\nfrom the hour on %s",
			devices, shards, scale, before, f.within, len(f.series), f.report())
		f.running.Wait()
		if late := f.settled(); late != len(f.series) {
			t.Errorf("in the end, %d of %d rows have all events of the hour", late, len(f.series))
		}
	})
	return f
}
