package bench

import (
	"fmt"
	"math"
	"time"
)

// shape is a load that was stopped, and the resources that process its backlog.
type shape struct {
	series    int           // one for each partition key
	rate      float64       // events a second, of all series together
	stopped   time.Duration // how long nothing was processed
	lanes     int           // stream shards × parallelization: invocations at once
	batch     int           // records a batch at most
	inFlight  int           // requests of one invocation at once
	latency   time.Duration
	cpuRecord time.Duration // decoding a record
	cpuEvent  time.Duration // reading and folding a child
	cpuLook   time.Duration // requests and rows of a recomputation
	pageBytes int           // of an event in a page
}

// batchTime returns the duration of an invocation with these numbers of records and
// series, if the hour of each series has children events.
func (s shape) batchTime(records, series, children int) time.Duration {
	waves := func(requests int) time.Duration { return time.Duration((requests + s.inFlight - 1) / s.inFlight) }
	pages := max(1, (children*s.pageBytes+1<<20-1)>>20) // a page is 1 MB at most
	hour := waves((series+99)/100) + waves(series)*time.Duration(pages) + waves(series)
	coarse := 2 * (waves((series+99)/100) + 2*waves(series))
	cpu := time.Duration(records)*s.cpuRecord + time.Duration(series)*(time.Duration(children)*s.cpuEvent+3*s.cpuLook)
	return (hour+coarse)*s.latency + cpu
}

// drain simulates the lanes, one batch after the other, while events keep coming, and
// returns when the last lane has caught up. All lanes are alike, so one is simulated.
func (s shape) drain() (took time.Duration, batches int) {
	perLane := s.rate / float64(s.lanes)
	series := (s.series + s.lanes - 1) / s.lanes
	backlog := perLane * s.stopped.Seconds()
	perSeries := s.rate / float64(s.series)
	for backlog >= 1 {
		records := int(math.Min(backlog, float64(s.batch)))
		children := int(math.Min(3600*perSeries, perSeries*(s.stopped+took).Seconds())) // the hour began with the stop
		t := s.batchTime(records, min(series, records), children)
		backlog += perLane*t.Seconds() - float64(records)
		took += t
		batches++
		if t.Seconds()*perLane >= float64(records) && records == s.batch {
			return math.MaxInt64, batches // it never catches up
		}
		if backlog < perLane*t.Seconds()*1.01 {
			return took, batches // only events that arrived during the last batch are left
		}
	}
	return took, batches
}

func draining(o options) *section {
	s := &section{
		title: "Recovery after a stop",
		intro: "How long it takes to process a backlog, on a simulated clock: lanes (stream shards × parallelization) process batches " +
			"one after the other while events keep arriving. A batch takes the round trips that it waits for, plus the processor " +
			"time measured above. The hour begins with the stop; an hour that was full before costs up to 3,600 children a second of " +
			"its series.",
		head: []string{"load", "processor", "batches a lane", "time to recover"},
	}
	base := shape{series: 1000, rate: 1000, stopped: 10 * time.Minute, lanes: 40, batch: 7100, inFlight: 64,
		latency:   latency,
		cpuRecord: o.cpu.record, cpuEvent: o.cpu.event, cpuLook: o.cpu.look, pageBytes: 300}
	for _, c := range []struct {
		name   string
		change func(*shape)
	}{
		{"1,000 events/s of 1,000 series, stopped for 10 minutes", func(*shape) {}},
		{"5,000 events/s of 20,000 series, stopped for 10 minutes", func(s *shape) {
			s.rate, s.series = 5000, 20000
		}},
		{"1,000 events/s of 1,000 series, stopped for 1 hour", func(s *shape) { s.stopped = time.Hour }},
	} {
		for _, share := range []float64{1, 0.29} {
			x := base
			c.change(&x)
			for _, t := range []*time.Duration{&x.cpuRecord, &x.cpuEvent, &x.cpuLook} {
				*t = time.Duration(float64(*t) / share)
			}
			took, batches := x.drain()
			s.row(c.name, fmt.Sprintf("%v of a core", share), fmt.Sprint(batches),
				took.Round(time.Millisecond).String())
			if c.name[:1] == "1" && share == 1 && x.stopped == 10*time.Minute && x.rate == 1000 {
				s.goal(took <= 10*time.Second, "recovered within 10 s", "%v", took.Round(time.Millisecond))
			}
		}
	}
	s.note("Assumed: %v a record, %v a child, %v a recomputation.", o.cpu.record, o.cpu.event,
		o.cpu.look.Round(time.Microsecond))
	s.note("Formula: a batch of r records and s series takes latency × (3⌈⌈s/100⌉/q⌉ + (p+1)⌈s/q⌉ + 4⌈s/q⌉) + r·decode + s·(c·fold " +
		"+ 3·recompute), with q concurrent requests, c children in an hour, and p = ⌈c·size/1 MB⌉ pages of them. A lane " +
		"processes its backlog in batches of at most 10,000 records or 6 MB.")
	return s
}
