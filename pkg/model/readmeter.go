package model

import (
	"context"
	"sync"
)

// ReadCost is the cost of reads.
type ReadCost struct {
	Requests int // requests sent to the table
	Items    int // items read, including those that a filter removes
	// Units are read units: one for each 4 KB in a strongly consistent read, half of one
	// in an eventually consistent read; at least one (or half of one) for each request.
	Units float64
}

// Add returns the sum of c and d.
func (c ReadCost) Add(d ReadCost) ReadCost {
	return ReadCost{Requests: c.Requests + d.Requests, Items: c.Items + d.Items, Units: c.Units + d.Units}
}

// ReadMeter sums the cost of the reads that are made with one context. Failed reads are
// not counted. It is safe for concurrent use.
type ReadMeter struct {
	parent *ReadMeter // the meter of the enclosing context; nil if there is none

	mu   sync.Mutex
	cost ReadCost // guarded by mu
}

type readMeterKey struct{}

// WithReadMeter returns a context whose reads are counted, and the meter that counts
// them. A meter that ctx already has counts them too.
func WithReadMeter(ctx context.Context) (context.Context, *ReadMeter) {
	m := &ReadMeter{parent: ReadMeterFrom(ctx)}
	return context.WithValue(ctx, readMeterKey{}, m), m
}

// ReadMeterFrom returns the meter of ctx, or nil if ctx has none. Stores call it.
func ReadMeterFrom(ctx context.Context) *ReadMeter {
	m, _ := ctx.Value(readMeterKey{}).(*ReadMeter)
	return m
}

// Add counts the cost of one read. It does nothing if m is nil.
func (m *ReadMeter) Add(c ReadCost) {
	for ; m != nil; m = m.parent {
		m.mu.Lock()
		m.cost = m.cost.Add(c)
		m.mu.Unlock()
	}
}

// Cost returns the cost of all reads so far.
func (m *ReadMeter) Cost() ReadCost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}
