package streamtest

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Sim is one simulated history. Its clock advances from event to event, and its goroutines
// run one at a time. Use it only in Setup and in the functions that Setup registers.
type Sim struct{ sim *simstream.Sim }

// Now returns the simulated time.
func (s *Sim) Now() time.Time { return s.sim.Now().Time() }

// Begin sets the time at which the history begins. Call it first.
func (s *Sim) Begin(at time.Time) { s.sim.Begin(model.NewTime(at)) }

// Dice returns the source of random choices of Setup.
func (s *Sim) Dice() Dice { return s.sim.Dice() }

// At calls do at a time, or now if the time has passed.
func (s *Sim) At(at time.Time, do func()) { s.sim.At(model.NewTime(at), do) }

// After calls do after a duration.
func (s *Sim) After(d time.Duration, do func()) { s.sim.After(d, do) }

// Go starts a goroutine that sends requests to tables. Requests with its ctx can meet faults. body must send
// one request at a time and wait only for requests and Sleep. Use separate dice for each goroutine.
func (s *Sim) Go(name string, dice Dice, body func(ctx context.Context)) { s.sim.Go(name, dice, body) }

// Sleep waits for a simulated duration in the goroutine of ctx. It returns the error of ctx if
// that has ended.
func (s *Sim) Sleep(ctx context.Context, d time.Duration) error { return s.sim.Sleep(ctx, d) }

// Check adds a check, called whenever no request and no record is outstanding. The first error
// ends the history.
func (s *Sim) Check(check func() error) { s.sim.Check(check) }

// Count adds n to a count in Result.Counts.
func (s *Sim) Count(name string, n int) { s.sim.Add(name, n) }

// Fail ends the history with an error.
func (s *Sim) Fail(err error) { s.sim.Fail(err) }

// Logf adds a line to the trace. who names the goroutine, or is "".
func (s *Sim) Logf(who, format string, args ...any) { s.sim.Logf(who, format, args...) }

// Dice makes the random choices of a history. A choice depends only on the seed and on its
// name, so the same name always gives the same result: number repeated choices, as in
// d.Part("order", i). Each choice has a default, zero; Shrink replaces choices by their default.
type Dice = simstream.Dice
