package simstream

import (
	"runtime"
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
	seeds, results, stop := make(chan uint64), make(chan Result), make(chan struct{})
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
