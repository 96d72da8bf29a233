package streamtest

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Sim is one simulated history while it runs: a clock that jumps from event to
// event, actors that take turns at their requests, a table stream, and a function
// that the stream is delivered to. Nothing in it is concurrent and nothing in it
// waits, so a history of years takes milliseconds and runs the same each time.
//
// It belongs to the run that made it: a Play sets it up, and the functions it leaves
// there are called in turn.
type Sim struct {
	// Stream is the table stream. Tables append to it; Deliver reads it.
	Stream *Stream

	seed     uint64
	dice     Dice
	rates    Rates
	now      model.Time
	queue    queue
	order    int
	back     chan struct{} // an actor gives its turn back
	actors   int           // under way
	landing  int           // writes on their way that nobody waits for
	hot      throttling
	over     bool // the run ended: nobody waits any more
	checks   []func() error
	settled  bool // nothing has happened since the last check
	failure  error
	counts   map[string]int
	expiries map[string]int // times that an item was given an expiry
	story    *Story         // nil where nobody listens
}

// Start is the time at which a simulated history begins, unless its Play says
// otherwise.
const Start = model.Time(1_767_258_000_000) // 2026-01-01T09:00:00Z

func newSim(seed uint64, keep map[uint64]bool, rates Rates, story *Story) *Sim {
	s := &Sim{seed: seed, dice: Dice{tape: newTape(seed, keep)}, rates: rates, now: Start,
		back: make(chan struct{}), counts: map[string]int{}, expiries: map[string]int{}, story: story}
	s.Stream = newStream(s)
	return s
}

// Now is the time of the table and of whoever has no skewed clock.
func (s *Sim) Now() model.Time { return s.now }

// Begin moves the clock to the time the history begins at; call it before all else.
func (s *Sim) Begin(at model.Time) { s.now = at }

// Dice are the history's own: what a Play chooses by them can be shrunk.
func (s *Sim) Dice() Dice { return s.dice.Of("play") }

// At has do called at a time, or now where that has passed.
func (s *Sim) At(at model.Time, do func()) { s.schedule(at, false, do) }

// After has do called when d has passed.
func (s *Sim) After(d time.Duration, do func()) { s.schedule(s.now.Add(d), false, do) }

// Check adds what must hold whenever everything is quiet: no actor and no write
// under way, every record delivered or given up. The first error ends the history.
func (s *Sim) Check(holds func() error) { s.checks = append(s.checks, holds) }

// Count counts something that happened, for the report.
func (s *Sim) Count(what string) { s.counts[what]++ }

// Add counts n of something.
func (s *Sim) Add(what string, n int) { s.counts[what] += n }

// Fail ends the history with an error.
func (s *Sim) Fail(err error) {
	if s.failure == nil {
		s.failure = err
	}
}

// Telling reports whether the history is being told: what only a story needs can be
// left out otherwise.
func (s *Sim) Telling() bool { return s.story != nil }

// Tell adds a line to the story. who is "" for what simply happens.
func (s *Sim) Tell(who, format string, args ...any) {
	if s.story != nil {
		s.story.add(s.now, who, fmt.Sprintf(format, args...))
	}
}

// run plays the history to its end.
func (s *Sim) run(play func(*Sim)) error {
	play(s)
	for len(s.queue) > 0 && s.failure == nil {
		next := heap.Pop(&s.queue).(occasion)
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

var errStuck = errors.New("the history ended with records that nobody delivers")

// end lets actors that still wait go home, so that no goroutine outlives the run.
func (s *Sim) end() {
	s.over = true
	for len(s.queue) > 0 {
		if next := heap.Pop(&s.queue).(occasion); next.wakes {
			next.do()
		}
	}
}

// Quiet reports whether nothing is under way.
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

// CheckNow checks what must hold, where everything is quiet: for moments at which
// time alone may have broken something.
func (s *Sim) CheckNow() {
	for _, holds := range s.checks {
		if s.failure != nil || !s.Quiet() {
			return
		}
		if err := holds(); err != nil {
			s.Fail(err)
		}
	}
}

// occasion is something that happens at a time.
type occasion struct {
	at    model.Time
	order int  // of two at one time, the one that was set up first comes first
	wakes bool // it gives an actor its turn
	do    func()
}

func (s *Sim) schedule(at model.Time, wakes bool, do func()) {
	s.order++
	heap.Push(&s.queue, occasion{at: max(at, s.now), order: s.order, wakes: wakes, do: do})
}

type queue []occasion

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(occasion)) }
func (q *queue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

// park lets d pass: the one whose turn it is gives it back and waits for the next.
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

// Sleep lets simulated time pass for the actor whose context it is; it returns the
// context's error once that is over.
func (s *Sim) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() == nil {
		s.park(d)
	}
	if a := actorOf(ctx); a != nil && s.over {
		a.end(errOver)
	}
	return ctx.Err()
}
