package streamtest

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// Trial describes histories to simulate.
type Trial struct {
	// Setup prepares one history: its tables, the function under test (Sim.Deliver), its
	// requests (Sim.At, Sim.Go) and its checks (Sim.Check). It is called once for each
	// history, concurrently, and must not share state between histories.
	Setup func(*Sim)
	// Rates overrides the rates of faults. Nil uses the default rates.
	Rates Rates
}

// Result is the outcome of one history: its seed, the failure of the first check that failed, and the
// counts of faults and others by name.
type Result = simstream.Result

// Trace is the log of one history: what happened, when, and which check failed. String returns it
// as text, one event a line.
type Trace = simstream.Trace

// Run simulates the history of a seed.
func (t Trial) Run(seed uint64) Result { return t.simulated().Run(seed) }

// Explore simulates n histories, of the seeds from first, on all processors. It calls each
// with every result, never concurrently and in no particular order, until each returns false.
func (t Trial) Explore(first uint64, n int, each func(Result) bool) {
	t.simulated().Explore(first, n, each)
}

// Find simulates n histories, of the seeds from first, until some fail. It returns the
// shortest failing trace after reduction, or nil if none fails.
func (t Trial) Find(first uint64, n int) *Trace { return t.simulated().Find(first, n) }

// Shrink reduces the failing history of a seed to the choices that make it fail. It returns
// nil if the history does not fail.
func (t Trial) Shrink(seed uint64) *Trace { return t.simulated().Shrink(seed) }

// Trace returns the trace of the whole history of a seed.
func (t Trial) Trace(seed uint64) *Trace { return t.simulated().Trace(seed) }

func (t Trial) simulated() simstream.Trial {
	rates, err := t.Rates.simulated()
	return simstream.Trial{Rates: rates, Setup: func(s *simstream.Sim) {
		if err != nil {
			s.Fail(fmt.Errorf("Trial.Rates: %w", err))
			return
		}
		t.Setup(&Sim{s})
	}}
}

// Fault is a kind of failure in a simulated history.
type Fault struct {
	Name        string // in Rates, Only and Result.Counts
	Description string // what happens, in one sentence
}

// Faults returns all faults.
func Faults() []Fault {
	return lists.Map(simstream.Faults(), func(f simstream.Fault) Fault {
		return Fault{f.String(), f.Description()}
	})
}

// Rates are the probabilities of faults, by name, at each opportunity. A fault that is not in
// Rates has its default rate; zero disables it. A history with an unknown name fails.
type Rates map[string]float64

// Only returns rates that disable all faults except the named ones.
func Only(faults ...string) Rates {
	rates := Rates{}
	for _, f := range simstream.Faults() {
		rates[f.String()] = 0
	}
	for _, name := range faults {
		if _, known := rates[name]; known {
			delete(rates, name)
		} else {
			rates[name] = 1 // unknown: reported when the history is simulated
		}
	}
	return rates
}

func (r Rates) simulated() (simstream.Rates, error) {
	if r == nil {
		return nil, nil
	}
	rates := simstream.Rates{}
	for _, f := range simstream.Faults() {
		if rate, set := r[f.String()]; set {
			rates[f] = rate
		}
	}
	if len(rates) < len(r) {
		for name := range r {
			if _, known := Only()[name]; !known {
				return nil, fmt.Errorf("unknown fault %q: see Faults for the names", name)
			}
		}
	}
	return rates, nil
}
