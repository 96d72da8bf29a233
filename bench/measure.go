package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// contender is one way to do the measured work.
type contender struct {
	name string
	per  int // units of work in one run; times and allocations are per unit
	run  func()
}

// sample has the results of a contender.
type sample struct {
	name   string
	ns     []float64 // per unit, one for each round
	allocs float64   // per unit
}

// race runs contenders in turn, round by round and in a different order each round, so that other
// load of the machine affects all of them. A contender runs for about the given time in each round,
// and at least once.
func race(rounds int, each time.Duration, contenders ...contender) map[string]*sample {
	samples := map[string]*sample{}
	for _, c := range contenders {
		c.run() // warm
		samples[c.name] = &sample{name: c.name, allocs: allocations(c)}
	}
	for round := range rounds {
		for i := range contenders {
			c := contenders[(i+round)%len(contenders)]
			runtime.GC()
			s := samples[c.name]
			s.ns = append(s.ns, measureUnit(c, each))
		}
	}
	return samples
}

func measureUnit(c contender, each time.Duration) (nsPerUnit float64) {
	runs, began := 0, time.Now()
	for runs == 0 || time.Since(began) < each {
		c.run()
		runs++
	}
	return float64(time.Since(began).Nanoseconds()) / float64(runs*c.per)
}

func allocations(c contender) float64 {
	const runs = 5
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		c.run()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(runs*c.per)
}

func (s *sample) median() float64 { return median(s.ns) }

// spread returns the range of the rounds.
func (s *sample) spread() string {
	return fmt.Sprintf("%s–%s", short(slices.Min(s.ns)), short(slices.Max(s.ns)))
}

func least(all []float64) float64 { return slices.Min(all) }
func most(all []float64) float64  { return slices.Max(all) }

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio returns how many times slower than s the other is, round by round: the ratios vary less
// than the times, because other load of the machine affects the whole round.
func (s *sample) ratio(slower *sample) (median_ float64, spread string) {
	all := make([]float64, len(s.ns))
	for i := range all {
		all[i] = slower.ns[i] / s.ns[i]
	}
	return median(all), fmt.Sprintf("%s–%s", short(slices.Min(all)), short(slices.Max(all)))
}

// short formats a number with three significant digits.
func short(f float64) string {
	if f == 0 {
		return "0"
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(f)))))
	return fmt.Sprintf("%.*f", digits, f)
}
