package simstream

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Process is the environment of one invocation.
type Process struct {
	Now   func() model.Time                                // the clock, which may be skewed
	Sleep func(ctx context.Context, d time.Duration) error // waits for a simulated duration
	Rand  io.Reader                                        // depends only on the seed

	old func() bool
}

// Old reports whether this process runs the previous version. Call it only if the test has two
// versions. It is false for a process that the simulation did not create.
func (p *Process) Old() bool { return p.old != nil && p.old() }

// Handler returns the function for one process.
type Handler func(*Process) eventsource.Invoke

// Function returns a Handler for a function that needs no Process.
func Function(invoke eventsource.Invoke) Handler {
	return func(*Process) eventsource.Invoke { return invoke }
}

// Delivery connects a function to a simulated table stream.
type Delivery struct {
	Settings eventsource.Settings
	Handler  Handler
	// GivenUp is called for records that exceeded their retries or age. It may be nil.
	GivenUp func(eventsource.GivenUp, []eventsource.Record)
	// Lost is called for records that the table stream removed before they were delivered. It may be nil.
	Lost func([]eventsource.Record)
}

// delivery is the mapping of a simulated table stream. It cuts the batches itself, and
// delivers them with eventsource.Mapping.
type delivery struct {
	*Sim
	Delivery
	invocations int
}

// Deliver connects the function to the table stream. Call it once, before the first change.
func (s *Sim) Deliver(d Delivery) { s.Stream.delivery = &delivery{Sim: s, Delivery: d} }

// Invoke calls the function once with records, as a redrive does, in addition to the regular
// delivery. It calls done with whether the function acknowledged all records.
func (s *Sim) Invoke(name string, dice Dice, records []eventsource.Record, done func(all bool)) {
	d := s.Stream.delivery
	a := s.newActor(name, dice)
	s.take(func() {
		response, err := d.invoke(a, records)
		if s.over {
			return
		}
		taken := 0
		if err == nil {
			taken, _ = d.Settings.Acknowledged(response, records)
		}
		done(taken == len(records))
	})
}

// simLane is the part of a stream shard that is delivered in order.
type simLane struct {
	*delivery
	shard   *simShard
	dice    Dice
	records []*simRecord
	at      int  // number of records that are finished
	busy    bool // a batch or a pause is in progress
	batches int
	stopped bool // it was stopped once
	rereads int
}

const maxRereads = 4 // per lane, so that every history ends

// wake starts to read new shards whose parents have been read.
func (d *delivery) wake(shards []*simShard) {
	for n, sh := range shards {
		ready := !slices.ContainsFunc(sh.parents, func(p *simShard) bool { return p.lanes == nil || !p.drained() })
		if sh.lanes == nil && ready {
			d.read(sh, n)
		}
	}
}

// read starts to read the n-th shard.
func (d *delivery) read(sh *simShard, n int) {
	for i := range max(1, d.Settings.Parallelization) {
		sh.lanes = append(sh.lanes, &simLane{
			delivery: d, shard: sh, dice: d.dice.Part("lane "+d.Stream.arn, n, i)})
	}
	for _, r := range sh.records {
		d.lane(sh, r.Item).add(r)
	}
}

func (d *delivery) lane(sh *simShard, item string) *simLane {
	return sh.lanes[eventsource.LaneIndex(item, len(sh.lanes))]
}

// add adds a record that passes the filter.
func (l *simLane) add(r *simRecord) {
	if !l.Settings.Filter.Match(r.Body) {
		return
	}
	l.records = append(l.records, r)
	l.settled = false
	if !l.busy {
		l.busy = true
		l.After(l.pause(l.dice.Part("arrival", len(l.records))), l.next)
	}
}

// pause returns how long records wait before they are read.
func (l *simLane) pause(dice Dice) time.Duration {
	wait := 200*time.Millisecond + dice.Span("wait", 3*time.Second)
	if !l.stopped && l.strikes(dice, StoppedShard) {
		l.stopped = true
		stop := []time.Duration{6 * time.Hour, 20 * time.Hour, 60 * time.Hour}[dice.Pick("stopped", 3)]
		wait += stop/2 + dice.Span("stopped for", stop/2)
		l.logFault("", StoppedShard, "%s, for %v", l.shard.id, wait.Round(time.Minute))
	} else if l.strikes(dice, Delay) {
		wait += dice.Span("delayed", []time.Duration{10 * time.Minute, 4 * time.Hour}[dice.Pick("delay", 2)])
		l.logFault("", Delay, "%s, for %v", l.shard.id, wait.Round(time.Second))
	}
	return wait
}

// next delivers the next batch, if there is one.
func (l *simLane) next() {
	l.trim()
	if l.at >= len(l.records) {
		l.busy = false
		l.wake(l.Stream.shards)
		return
	}
	dice := l.dice.Part("batch", l.batches)
	l.batches++
	batch := l.cut(dice)
	l.repeat(dice, batch)
	l.take(func() { l.deliver(dice, batch) })
}

// deliver delivers a batch until each record is acknowledged or given up.
func (l *simLane) deliver(dice Dice, batch []eventsource.Record) {
	carrier := l.newActor("", dice)
	tries := 0
	mapping := &eventsource.Mapping{
		Settings: l.Settings, Stream: l.Stream.arn, Now: l.Now,
		Invoke: func(_ context.Context, payload []byte) ([]byte, error) {
			tries++
			a := l.newActor(l.invocation(), dice.Part("try", tries))
			a.protected = tries > protectedAfter
			return l.call(a, payload, batch)
		},
		OnFailure: func(_ context.Context, g eventsource.GivenUp) error {
			l.giveUp(g, batch)
			return nil
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			return l.Sleep(ctx, d+l.pause(dice.Part("retry", tries)))
		},
	}
	_ = mapping.Deliver(carrier.ctx, l.shard.id, batch) // its only error is the end of the history
	if l.over || l.shard.retired {
		l.busy, l.settled = false, false
		return
	}
	l.at += len(batch)
	l.reread(dice)
	l.After(dice.Part("after").Span("wait", 3*time.Second), l.next)
}

// protectedAfter is how many attempts to deliver one batch can meet faults.
const protectedAfter = 12

func (d *delivery) invocation() string {
	d.invocations++
	return fmt.Sprintf("invocation %d", d.invocations)
}

// invoke calls the function with records.
func (d *delivery) invoke(a *actor, records []eventsource.Record) ([]byte, error) {
	return d.call(a, eventsource.Payload(records), records)
}

// call calls the function. A panic fails the invocation, as in Lambda.
func (d *delivery) call(a *actor, payload []byte, records []eventsource.Record) (response []byte, err error) {
	if d.over {
		return nil, errOver
	}
	p := d.process(a)
	d.Logf(a.name, "starts: %s", d.names(within(records, payload)))
	defer func() {
		if r := recover(); r != nil {
			response, err = nil, fmt.Errorf("the function panicked: %v", r)
			d.Logf(a.name, "panics: %v", r)
		}
		a.end(errOver)
	}()
	response, err = d.Handler(p)(a.ctx, payload)
	switch {
	case a.crashed:
		return nil, ErrCrashed
	case a.strikes(a.dice, ResponseLost):
		d.logFault(a.name, ResponseLost, "")
		return nil, errTimeUp
	case err != nil:
		d.Logf(a.name, "fails: %v", err)
	default:
		d.Logf(a.name, "returns %s", response)
	}
	return response, err
}

const maxSkew = 5 * time.Minute

// process returns the environment of one invocation.
func (d *delivery) process(a *actor) *Process {
	var skew time.Duration
	if a.strikes(a.dice, ClockSkew) {
		skew = a.dice.Span("skew", maxSkew)
		if a.dice.Chance("slow clock", .5) {
			skew = -skew
		}
		d.logFault(a.name, ClockSkew, "%v", skew.Round(time.Second))
	}
	return &Process{
		Now:   func() model.Time { return d.now.Add(skew) },
		Sleep: d.Sleep,
		Rand:  a.dice.Rand(),
		old: func() bool {
			old := a.strikes(a.dice, OldCode)
			if old {
				d.logFault(a.name, OldCode, "")
			}
			return old
		},
	}
}
