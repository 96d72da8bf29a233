package streamtest

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// actor is somebody who sends requests: an invocation of the function, a producer, a
// hand in the console. Actors run one at a time, each from one request to its next.
type actor struct {
	*Sim
	name     string
	dice     Dice
	requests int
	until    model.Time // when its time is up
	spared   bool       // it meets no fault, so that the history can end
	ctx      context.Context
	end      context.CancelCauseFunc
	crashed  bool // nobody hears what it answers
	refusals int  // requests it made after its end
}

// Errors that a request of the simulation is answered.
var (
	// ErrCrashed is what a request of a function that has died gets. Nothing it still
	// asks for is done: for the table it is gone.
	ErrCrashed = errors.New("the simulation killed the function here")
	// ErrUnanswered says that a read was not answered; it may pass.
	ErrUnanswered = errors.New("the read was not answered")
	errTimeUp     = errors.New("the function's time is up")
	errOver       = errors.New("the simulated history is over")
)

// longest is how long an actor may take: the longest timeout a function can have.
const longest = 15 * time.Minute

// stubborn is how many requests are refused to one whose context has ended, before
// it is told that it would never end.
const stubborn = 100_000

type actorKey struct{}

// actorOf is who sends a request; nil for one from outside the simulation.
func actorOf(ctx context.Context) *actor {
	a, _ := ctx.Value(actorKey{}).(*actor)
	return a
}

func (s *Sim) newActor(name string, dice Dice) *actor {
	a := &actor{Sim: s, name: name, dice: dice, until: s.now.Add(longest)}
	ctx, end := context.WithCancelCause(context.WithValue(context.Background(), actorKey{}, a))
	a.ctx, a.end = ctx, end
	return a
}

// Go starts somebody who sends requests: body runs from request to request, and
// every request it makes with the ctx it is given may meet faults. body must make one
// request at a time and wait on nothing but requests and Sleep; the dice it is given
// make its history its own.
func (s *Sim) Go(name string, dice Dice, body func(ctx context.Context)) {
	a := s.newActor(name, dice)
	s.take(func() {
		body(a.ctx)
		a.end(errOver)
	})
}

// take runs body as a goroutine that has the turn until it parks or ends.
func (s *Sim) take(body func()) {
	s.actors++
	s.schedule(s.now, true, func() {
		go func() {
			body()
			s.actors--
			s.back <- struct{}{}
		}()
		<-s.back
	})
}

// crash kills a.
func (a *actor) crash(f Fault, format string, args ...any) error {
	a.tellFault(a.name, f, format, args...)
	a.crashed = true
	a.end(ErrCrashed)
	return ErrCrashed
}

// err is why a can send no request any more; nil while it can.
func (a *actor) err() error {
	switch {
	case a.over:
		a.end(errOver)
		return errOver
	case a.ctx.Err() != nil:
		if a.refusals++; a.refusals > stubborn {
			panic("streamtest: the code under test goes on sending requests though its context has ended: return on ctx.Err()")
		}
		return a.ctx.Err()
	case a.now > a.until:
		a.Tell(a.name, "has run into its timeout and is killed")
		a.Count("timeouts")
		a.crashed = true
		a.end(errTimeUp)
		return a.ctx.Err()
	}
	return nil
}

// strikes is Sim.strikes for one that may be spared.
func (a *actor) strikes(d Dice, f Fault) bool { return !a.spared && a.Sim.strikes(d, f) }
