package streamtest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Process is where the function's code runs for one invocation.
type Process struct {
	Now   func() model.Time                                // its clock, which may be skewed
	Sleep func(ctx context.Context, d time.Duration) error // lets simulated time pass
	Rand  io.Reader                                        // follows from the seed

	old func() bool
}

// Old reports whether this process runs the version before: ask it where there are
// two. A process that the simulation did not make runs the new one.
func (p *Process) Old() bool { return p.old != nil && p.old() }

// Handler makes the function as a process has it.
type Handler func(*Process) Invoke

// Function is Invoke as a Handler, for one that needs neither clock nor rest.
func Function(invoke Invoke) Handler { return func(*Process) Invoke { return invoke } }

// Delivery is how a simulated table stream is delivered.
type Delivery struct {
	Settings Settings
	Handler  Handler
	// GivenUp is told of records that will not be delivered again: retries or age were
	// used up. Nil: nobody cares.
	GivenUp func(GivenUp, []Record)
	// Lost is told of records that the table stream did not keep long enough. Nil:
	// nobody cares.
	Lost func([]Record)
}

// delivery is the mapping of a simulated table stream. It cuts batches as it likes;
// what becomes of a batch is decided by the same code as in Mapping.
type delivery struct {
	*Sim
	Delivery
	invocations int
}

// Deliver connects the function to the table stream. Call it once, before anything is
// appended.
func (s *Sim) Deliver(d Delivery) {
	s.Stream.delivery = &delivery{Sim: s, Delivery: d}
}

// Invoke has the function called with records once, as a redrive does, beside
// whatever is delivered, and tells done whether it took them all.
func (s *Sim) Invoke(name string, dice Dice, records []Record, done func(taken bool)) {
	d := s.Stream.delivery
	a := s.newActor(name, dice)
	s.take(func() {
		answer, err := d.invoke(a, records)
		if s.over {
			return
		}
		taken := 0
		if err == nil {
			l := lane{Mapping: &Mapping{Settings: d.Settings}}
			taken, _ = l.settled(answer, records)
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
	at      int  // how many of them are done with
	busy    bool // a batch is under way, or a pause
	batches int
	stopped bool // it has had its long stop
	recuts  int
}

const maxRecuts = 4 // of a lane, so that every history ends

// wake starts to read shards that are new and whose parents are done with.
func (d *delivery) wake(shards []*simShard) {
	for n, sh := range shards {
		ready := !slices.ContainsFunc(sh.parents, func(p *simShard) bool { return p.lanes == nil || !p.drained() })
		if sh.lanes == nil && ready {
			d.read(sh, n)
		}
	}
}

// read begins to read the n-th shard.
func (d *delivery) read(sh *simShard, n int) {
	for i := range max(1, d.Settings.Parallelization) {
		sh.lanes = append(sh.lanes, &simLane{delivery: d, shard: sh, dice: d.dice.Of("lane "+d.Stream.arn, n, i)})
	}
	for _, r := range sh.records {
		d.lane(sh, r.Item).add(r)
	}
}

func (d *delivery) lane(sh *simShard, item string) *simLane {
	return sh.lanes[laneOf(item, len(sh.lanes))]
}

// add hands the lane a record, unless the mapping's filter keeps it out.
func (l *simLane) add(r *simRecord) {
	if !l.Settings.Filter.Match(r.Body) {
		return
	}
	l.records = append(l.records, r)
	l.settled = false
	if !l.busy {
		l.busy = true
		l.After(l.pause(l.dice.Of("arrival", len(l.records))), l.next)
	}
}

// pause is how long records wait before somebody comes for them.
func (l *simLane) pause(dice Dice) time.Duration {
	wait := 200*time.Millisecond + dice.Span("wait", 3*time.Second)
	if !l.stopped && l.strikes(dice, StoppedShard) {
		l.stopped = true
		stop := []time.Duration{6 * time.Hour, 20 * time.Hour, 60 * time.Hour}[dice.Pick("stopped", 3)]
		wait += stop/2 + dice.Span("stopped for", stop/2)
		l.tellFault("", StoppedShard, "%s, for %v", l.shard.id, wait.Round(time.Minute))
	} else if l.strikes(dice, Delay) {
		wait += dice.Span("delayed", []time.Duration{10 * time.Minute, 4 * time.Hour}[dice.Pick("delay", 2)])
		l.tellFault("", Delay, "%s, for %v", l.shard.id, wait.Round(time.Second))
	}
	return wait
}

// next delivers the next batch, or goes to sleep.
func (l *simLane) next() {
	l.trim()
	if l.at >= len(l.records) {
		l.busy = false
		l.wake(l.Stream.shards)
		return
	}
	dice := l.dice.Of("batch", l.batches)
	l.batches++
	batch := l.cut(dice)
	l.repeat(dice, batch)
	l.take(func() { l.bring(dice, batch) })
}

// bring brings a batch to its end, by the code that decides on retries, splits and
// giving up.
func (l *simLane) bring(dice Dice, batch []Record) {
	carrier := l.newActor("", dice)
	tries := 0
	engine := lane{
		shard: l.shard.id, state: &shardState{},
		Mapping: &Mapping{
			Settings: l.Settings, Stream: l.Stream.arn, Now: l.Now,
			Invoke: func(_ context.Context, payload []byte) ([]byte, error) {
				tries++
				a := l.newActor(l.invocation(), dice.Of("try", tries))
				a.spared = tries > sparedAfter
				return l.call(a, payload, batch)
			},
			OnFailure: func(_ context.Context, g GivenUp) error {
				l.giveUp(g, batch)
				return nil
			},
			Sleep: func(ctx context.Context, d time.Duration) error {
				return l.Sleep(ctx, d+l.pause(dice.Of("retry", tries)))
			},
		},
	}
	_ = engine.deliver(carrier.ctx, batch) // its only error is the end of the history
	if l.over || l.shard.retired {
		l.busy, l.settled = false, false
		return
	}
	l.at += len(batch)
	l.recut(dice)
	l.After(dice.Of("after").Span("wait", 3*time.Second), l.next)
}

// sparedAfter is how many tries of one batch may meet faults.
const sparedAfter = 12

func (d *delivery) invocation() string {
	d.invocations++
	return fmt.Sprintf("invocation %d", d.invocations)
}

// invoke calls the function with records.
func (d *delivery) invoke(a *actor, records []Record) ([]byte, error) {
	return d.call(a, payload(records), records)
}

// call calls the function. A panic ends its process, as it does in Lambda.
func (d *delivery) call(a *actor, payload []byte, records []Record) (answer []byte, err error) {
	if d.over {
		return nil, errOver
	}
	p := d.process(a)
	d.Tell(a.name, "begins: %s", d.names(within(records, payload)))
	defer func() {
		if r := recover(); r != nil {
			answer, err = nil, fmt.Errorf("the function panicked: %v", r)
			d.Tell(a.name, "panics: %v", r)
		}
		a.end(errOver)
	}()
	answer, err = d.Handler(p)(a.ctx, payload)
	switch {
	case a.crashed:
		return nil, ErrCrashed
	case a.strikes(a.dice, AnswerUnheard):
		d.tellFault(a.name, AnswerUnheard, "")
		return nil, errTimeUp
	case err != nil:
		d.Tell(a.name, "fails: %v", err)
	default:
		d.Tell(a.name, "answers %s", answer)
	}
	return answer, err
}

const maxSkew = 5 * time.Minute

// process is where one invocation runs.
func (d *delivery) process(a *actor) *Process {
	var skew time.Duration
	if a.strikes(a.dice, ClockSkew) {
		skew = a.dice.Span("skew", maxSkew)
		if a.dice.Chance("slow clock", .5) {
			skew = -skew
		}
		d.tellFault(a.name, ClockSkew, "%v", skew.Round(time.Second))
	}
	return &Process{
		Now:   func() model.Time { return d.now.Add(skew) },
		Sleep: d.Sleep,
		Rand:  a.dice.Rand(),
		old: func() bool {
			old := a.strikes(a.dice, OldCode)
			if old {
				d.tellFault(a.name, OldCode, "")
			}
			return old
		},
	}
}
