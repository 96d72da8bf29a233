package streamtest

import (
	"runtime"
	"sync"
)

// Trial is what histories are simulated of.
type Trial struct {
	// Play sets one history up: tables, the function under test (Sim.Deliver), what
	// happens when (Sim.At, Sim.Go), and what must hold (Sim.Check). It is called once
	// for each history, several at a time, and must not share anything between them.
	Play func(*Sim)
	// Rates are how often faults strike; nil means the kit's own rates.
	Rates Rates
}

// Result is what became of one history.
type Result struct {
	Seed    uint64
	Failure error          // the first check that did not hold; nil where all did
	Counts  map[string]int // faults and what else was counted, by name
	// Choices are how many choices did not fall on their calm side: the size of the
	// history.
	Choices int
}

// Run plays the history of a seed. The same seed is the same history.
func (t Trial) Run(seed uint64) Result {
	s := newSim(seed, nil, t.Rates, nil)
	failure := s.run(t.Play)
	return Result{Seed: seed, Failure: failure, Counts: s.counts, Choices: len(s.dice.tape.taken)}
}

// Explore plays n histories, of the seeds from first on, on all processors, and hands
// each result out in turn, one at a time but in no order. It ends early when each
// returns false.
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

// few is how many failing histories Find chooses the shortest story from.
const few = 5

// Find plays n histories, of the seeds from first on, until a few have failed, and
// tells the one that is shortest once shrunk; nil where none fails.
func (t Trial) Find(first uint64, n int) *Story {
	var best *Story
	for i, failed := 0, 0; i < n && failed < few; i++ {
		if t.Run(first+uint64(i)).Failure == nil {
			continue
		}
		failed++
		if story := t.Shrink(first + uint64(i)); best == nil || len(story.Lines) < len(best.Lines) {
			best = story
		}
	}
	return best
}

// Total adds the counts of a result to a sum.
func (r Result) Total(sum map[string]int) {
	for name, n := range r.Counts {
		sum[name] += n
	}
}
