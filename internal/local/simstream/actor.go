package simstream

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// actor is a goroutine that sends requests: an invocation of the function, a producer or a
// user. Actors run one at a time, each from one request to its next.
type actor struct {
	*Sim
	name      string
	dice      Dice
	requests  int
	until     model.Time // its deadline
	protected bool       // meets no faults, so that the history can end
	ctx       context.Context
	end       context.CancelCauseFunc
	crashed   bool // its response is discarded
	refusals  int  // requests after its context ended
}

// Errors of requests.
var (
	// ErrCrashed is the error of every request of a function that has crashed. The request
	// is not carried out.
	ErrCrashed = errors.New("the simulation crashed the function")
	// ErrReadFailed reports that a read received no response. A retry may succeed.
	ErrReadFailed = errors.New("the read received no response")
	errTimeUp     = errors.New("the function timed out")
	errOver       = errors.New("the simulated history is over")
)

// longest is the most time an actor can take: the maximum timeout of a Lambda function.
const longest = 15 * time.Minute

// maxRefused is the most requests that an actor can send after its context has ended. More
// are treated as an endless loop.
const maxRefused = 100_000

type actorKey struct{}

// actorFrom returns the actor that sends a request, or nil if no actor does.
func actorFrom(ctx context.Context) *actor {
	a, _ := ctx.Value(actorKey{}).(*actor)
	return a
}

func (s *Sim) newActor(name string, dice Dice) *actor {
	a := &actor{Sim: s, name: name, dice: dice, until: s.now.Add(longest)}
	ctx, end := context.WithCancelCause(context.WithValue(context.Background(), actorKey{}, a))
	a.ctx, a.end = ctx, end
	return a
}

// Go starts an actor. Requests of body with its ctx can meet faults. body must send one request
// at a time and wait only for requests and Sleep. Use separate dice for each actor.
func (s *Sim) Go(name string, dice Dice, body func(ctx context.Context)) {
	a := s.newActor(name, dice)
	s.take(func() {
		body(a.ctx)
		a.end(errOver)
	})
}

// take runs body in a goroutine, which runs alone until it parks or ends.
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

// crash ends a with ErrCrashed.
func (a *actor) crash(f Fault, format string, args ...any) error {
	a.logFault(a.name, f, format, args...)
	a.crashed = true
	a.end(ErrCrashed)
	return ErrCrashed
}

// err returns the reason why a cannot send requests, or nil.
func (a *actor) err() error {
	switch {
	case a.over:
		a.end(errOver)
		return errOver
	case a.ctx.Err() != nil:
		if a.refusals++; a.refusals > maxRefused {
			panic("simstream: the code under test sends requests after its context has ended: return on ctx.Err()")
		}
		return a.ctx.Err()
	case a.now > a.until:
		a.Logf(a.name, "times out")
		a.Count("timeouts")
		a.crashed = true
		a.end(errTimeUp)
		return a.ctx.Err()
	}
	return nil
}

// strikes is Sim.strikes, and false for a protected actor.
func (a *actor) strikes(d Dice, f Fault) bool { return !a.protected && a.Sim.strikes(d, f) }
