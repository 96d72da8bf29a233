package model

import (
	"context"
	"sync"
)

// Cost is what reading took.
type Cost struct {
	Requests int // sent to the table
	Items    int // read, those included that readers do not see
	// Units are read units: one for each 4 KB read strongly consistent, half of one
	// where eventually consistent, at least one (or half) a request.
	Units float64
}

// Add is both costs together.
func (c Cost) Add(d Cost) Cost {
	return Cost{Requests: c.Requests + d.Requests, Items: c.Items + d.Items, Units: c.Units + d.Units}
}

// Meter sums what the reads of one piece of work cost. A table adds to the meter of
// the context that a read is made in; a read that failed is not in it. It may be used
// concurrently.
type Meter struct {
	whole *Meter // of the work that this work is a part of; nil where there is none

	mu   sync.Mutex
	cost Cost // guarded by mu
}

type meterKey struct{}

// Metered is a context whose reads are counted, and the meter that counts them. Where
// ctx has a meter already, that one goes on counting too.
func Metered(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{whole: MeterOf(ctx)}
	return context.WithValue(ctx, meterKey{}, m), m
}

// MeterOf is the meter that counts the reads of ctx; nil where nobody does.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Add counts what one read cost. A nil meter counts nothing.
func (m *Meter) Add(c Cost) {
	for ; m != nil; m = m.whole {
		m.mu.Lock()
		m.cost = m.cost.Add(c)
		m.mu.Unlock()
	}
}

// Cost is what was read so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}
