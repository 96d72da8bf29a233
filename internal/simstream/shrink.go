package simstream

import "slices"

// maxRuns is the most histories that shrinking simulates.
const maxRuns = 4000

// Shrink removes choices from the failing history of a seed while it still fails, and returns
// the trace of the rest. It returns nil if the history does not fail.
func (t Trial) Shrink(seed uint64) *Trace {
	sh := &shrinker{Trial: t, seed: seed}
	all, failure := sh.play(nil)
	if failure == nil {
		return nil
	}
	left := sh.reduce(all)
	trace := t.trace(seed, setOf(left))
	trace.Whole, trace.Runs = len(all), sh.runs
	return trace
}

// Trace returns the trace of the whole history of a seed.
func (t Trial) Trace(seed uint64) *Trace { return t.trace(seed, nil) }

func (t Trial) trace(seed uint64, keep map[uint64]bool) *Trace {
	trace := &Trace{Seed: seed}
	s := newSim(seed, keep, t.Rates, trace)
	trace.Failure = s.run(t.Setup)
	trace.Choices = len(s.dice.tape.taken)
	trace.Whole = trace.Choices
	return trace
}

type shrinker struct {
	Trial
	seed uint64
	runs int
}

// play simulates the history with only the choices in keep, and returns those that it made and
// how it failed.
func (sh *shrinker) play(keep map[uint64]bool) ([]uint64, error) {
	sh.runs++
	s := newSim(sh.seed, keep, sh.Rates, nil)
	failure := s.run(sh.Setup)
	return s.dice.tape.taken, failure
}

// reduce is delta debugging: it removes smaller and smaller pieces without which the history
// still fails.
func (sh *shrinker) reduce(left []uint64) []uint64 {
	for size := (len(left) + 1) / 2; size > 0 && sh.runs < maxRuns; {
		smaller, ok := sh.without(left, size)
		switch {
		case ok:
			left = smaller
			size = min(size, max(1, len(left)/2))
		case size == 1:
			return left
		default:
			size = (size + 1) / 2
		}
	}
	return left
}

// without tries to remove each piece of a size, from the end, because the last choices are
// most often not needed. ok reports whether a piece was removed.
func (sh *shrinker) without(left []uint64, size int) (_ []uint64, ok bool) {
	for end := len(left); end > 0 && sh.runs < maxRuns; end -= size {
		end = min(end, len(left))
		start := max(0, end-size)
		rest := slices.Concat(left[:start], left[end:])
		if reached, failure := sh.play(setOf(rest)); failure != nil {
			left, ok = reached, true
		}
	}
	return left, ok
}

func setOf(ids []uint64) map[uint64]bool {
	set := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
