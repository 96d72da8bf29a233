package simstream

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Sim is one simulated history: a clock that advances from event to event, actors that run one at a time, a
// table stream, and a function that the stream is delivered to. Nothing runs concurrently and nothing waits
// for real time, so that a history of years takes milliseconds and is the same in every run.
//
// Use it only in Trial.Setup and in the functions that Setup registers.
type Sim struct {
	// Stream is the table stream. Tables append to it; Deliver reads it.
	Stream *Stream

	seed     uint64
	dice     Dice
	rates    Rates
	now      model.Time
	queue    queue
	order    int
	back     chan struct{} // receives when an actor parks or ends
	actors   int           // running
	landing  int           // delayed writes in transit
	hot      throttling
	over     bool // the run ended
	checks   []func() error
	settled  bool // nothing has changed since the last check
	failure  error
	counts   map[string]int
	expiries map[string]int // number of expiry times set, by item
	trace    *Trace         // nil if the run is not traced
}

// Start is the time at which a simulated history begins, unless Setup calls Begin.
const Start = model.Time(1_767_258_000_000) // 2026-01-01T09:00:00Z

func newSim(seed uint64, keep map[uint64]bool, rates Rates, trace *Trace) *Sim {
	s := &Sim{seed: seed, dice: Dice{tape: newTape(seed, keep)}, rates: rates, now: Start,
		back: make(chan struct{}), counts: map[string]int{}, expiries: map[string]int{}, trace: trace}
	s.Stream = newStream(s)
	return s
}

// Now returns the simulated time, without clock skew.
func (s *Sim) Now() model.Time { return s.now }

// Begin sets the time at which the history begins. Call it first.
func (s *Sim) Begin(at model.Time) { s.now = at }

// Dice returns the dice of Setup.
func (s *Sim) Dice() Dice { return s.dice.Part("play") }

// At calls do at a time, or now if the time has passed.
func (s *Sim) At(at model.Time, do func()) { s.schedule(at, false, do) }

// After calls do after d.
func (s *Sim) After(d time.Duration, do func()) { s.schedule(s.now.Add(d), false, do) }

// Check adds a check that is called whenever no actor runs, no write is in transit and every
// record was delivered or given up. The first error ends the history.
func (s *Sim) Check(check func() error) { s.checks = append(s.checks, check) }

// Count adds one to a count of the Result.
func (s *Sim) Count(what string) { s.counts[what]++ }

// Add adds n to a count of the Result.
func (s *Sim) Add(what string, n int) { s.counts[what] += n }

// Fail ends the history with an error.
func (s *Sim) Fail(err error) {
	if s.failure == nil {
		s.failure = err
	}
}

// Logging reports whether the history is traced.
func (s *Sim) Logging() bool { return s.trace != nil }

// Logf adds a line to the trace. who is the name of the actor, or "".
func (s *Sim) Logf(who, format string, args ...any) {
	if s.trace != nil {
		s.trace.add(s.now, who, fmt.Sprintf(format, args...))
	}
}

// run simulates the history to its end.
func (s *Sim) run(setup func(*Sim)) error {
	setup(s)
	for len(s.queue) > 0 && s.failure == nil {
		next := heap.Pop(&s.queue).(event)
		s.now = max(s.now, next.at)
		next.do()
		s.checkIfQuiet()
	}
	if s.failure == nil && !s.Quiet() {
		s.Fail(errStuck)
	}
	s.end()
	return s.failure
}

var errStuck = errors.New("the history ended with undelivered records")

// end ends the actors that still wait, so that no goroutine remains after the run.
func (s *Sim) end() {
	s.over = true
	for len(s.queue) > 0 {
		if next := heap.Pop(&s.queue).(event); next.wakes {
			next.do()
		}
	}
}

// Quiet reports whether no actor runs, no write is in transit and no record is outstanding.
func (s *Sim) Quiet() bool { return s.actors == 0 && s.landing == 0 && s.Stream.drained() }

func (s *Sim) checkIfQuiet() {
	if !s.Quiet() {
		s.settled = false
		return
	}
	if !s.settled {
		s.settled = true
		s.CheckNow()
	}
}

// CheckNow runs the checks if the history is quiet. Call it when the time alone may have changed the outcome.
func (s *Sim) CheckNow() {
	for _, check := range s.checks {
		if s.failure != nil || !s.Quiet() {
			return
		}
		if err := check(); err != nil {
			s.Fail(err)
		}
	}
}

// event is a function that runs at a time.
type event struct {
	at    model.Time
	order int  // events of the same time run in the order in which they were scheduled
	wakes bool // it resumes an actor
	do    func()
}

func (s *Sim) schedule(at model.Time, wakes bool, do func()) {
	s.order++
	heap.Push(&s.queue, event{at: max(at, s.now), order: s.order, wakes: wakes, do: do})
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// park suspends the running actor for d.
func (s *Sim) park(d time.Duration) {
	if s.over {
		return
	}
	wake := make(chan struct{})
	s.schedule(s.now.Add(d), true, func() {
		close(wake)
		<-s.back
	})
	s.back <- struct{}{}
	<-wake
}

// Sleep suspends the actor of ctx for d. It returns the error of ctx if that has ended.
func (s *Sim) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() == nil {
		s.park(d)
	}
	if a := actorFrom(ctx); a != nil && s.over {
		a.end(errOver)
	}
	return ctx.Err()
}
