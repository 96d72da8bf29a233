package simstream

import (
	"runtime"
	"slices"
	"sync"
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

// Result is the outcome of one history.
type Result struct {
	Seed    uint64
	Failure error          // of the first check that failed; nil if none did
	Counts  map[string]int // faults and other counts, by name
	// Choices is the number of choices that are not the default: the size of the history.
	Choices int
}

// Run simulates the history of a seed. The same seed gives the same history.
func (t Trial) Run(seed uint64) Result {
	s := newSim(seed, nil, t.Rates, nil)
	failure := s.run(t.Setup)
	return Result{Seed: seed, Failure: failure, Counts: s.counts, Choices: len(s.dice.tape.taken)}
}

// Explore simulates n histories, of the seeds from first, on all processors. It calls each with
// every result, never concurrently and in no particular order, until each returns false.
func (t Trial) Explore(first uint64, n int, each func(Result) bool) {
	seeds := make(chan uint64)
	results := make(chan Result)
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := range seeds {
				results <- t.Run(seed)
			}
		})
	}
	go func() {
		defer func() {
			close(seeds)
			workers.Wait()
			close(results)
		}()
		for i := range n {
			select {
			case seeds <- first + uint64(i):
			case <-stop:
				return
			}
		}
	}()
	going := true
	for r := range results {
		if going && !each(r) {
			going = false
			close(stop)
		}
	}
}

// few is how many failing histories Find reduces.
const few = 5

// Find simulates n histories, of the seeds from first, until a few have failed. It returns the
// shortest trace after shrinking, or nil if none fails.
func (t Trial) Find(first uint64, n int) *Trace {
	var best *Trace
	for i, failed := 0, 0; i < n && failed < few; i++ {
		if t.Run(first+uint64(i)).Failure == nil {
			continue
		}
		failed++
		if trace := t.Shrink(first + uint64(i)); best == nil || len(trace.Lines) < len(best.Lines) {
			best = trace
		}
	}
	return best
}

// Total adds the counts of a result to sum.
func (r Result) Total(sum map[string]int) {
	for name, n := range r.Counts {
		sum[name] += n
	}
}

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
	trace := t.trace(seed, idSet(left))
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

// play simulates the history with only the choices in keep, and returns those that it made and how it failed.
func (sh *shrinker) play(keep map[uint64]bool) ([]uint64, error) {
	sh.runs++
	s := newSim(sh.seed, keep, sh.Rates, nil)
	failure := s.run(sh.Setup)
	return s.dice.tape.taken, failure
}

// reduce is delta debugging: it removes smaller and smaller pieces without which the history still fails.
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
		if reached, failure := sh.play(idSet(rest)); failure != nil {
			left, ok = reached, true
		}
	}
	return left, ok
}

func idSet(ids []uint64) map[uint64]bool {
	set := make(map[uint64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
