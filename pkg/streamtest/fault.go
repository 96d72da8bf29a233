package streamtest

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/simstream"
)

// Fault is a kind of failure in a simulated history.
type Fault struct {
	Name        string // in Rates, Only and Result.Counts
	Description string // what happens, in one sentence
}

// Faults returns all faults.
func Faults() []Fault {
	var all []Fault
	for _, f := range simstream.Faults() {
		all = append(all, Fault{f.String(), f.Description()})
	}
	return all
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
