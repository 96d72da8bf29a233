package exhaustive

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// result is the outcome of an exploration.
type result struct {
	states, transitions, quiet int64
	tables, locals             int64 // contents of the table, states of processes
	took                       time.Duration
	err                        error
	path                       []string // the shortest history with a violation
}

// add adds the counts of another exploration.
func (r *result) add(o result) {
	r.states += o.states
	r.transitions += o.transitions
	r.quiet += o.quiet
	r.tables += o.tables
	r.took += o.took
}

// visited is a set of hashes. It is safe for concurrent use.
type visited [64]struct {
	mu    sync.Mutex
	known map[[2]uint64]struct{}
}

func (v *visited) add(h [2]uint64) (added bool) {
	part := &v[h[0]%uint64(len(v))]
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.known == nil {
		part.known = map[[2]uint64]struct{}{}
	}
	if _, known := part.known[h]; known {
		return false
	}
	part.known[h] = struct{}{}
	return true
}

// explore visits every state of a scenario, level by level: a violation is found by one of
// the shortest histories.
func explore(sc scenario) (result, error) {
	x, err := newSystem(&sc)
	if err != nil {
		return result{}, err
	}
	return x.explore(), nil
}

func (x *system) explore() (r result) {
	began := time.Now()
	seen := &visited{}
	symmetric := x.scenario.functions == 2 && x.skews[0] == x.skews[1]
	start := x.first()
	seen.add(start.hash(symmetric))
	r.states = 1
	depth := 0
	for level := []state{start}; len(level) > 0 && r.err == nil; depth++ {
		level = x.level(level, seen, symmetric, &r)
	}
	r.tables, r.locals = int64(len(x.tables.known)), int64(x.processes.count.Load())
	if r.err != nil {
		r.path = x.path(start, symmetric, depth)
	}
	r.took = time.Since(began)
	return r
}

// level visits the states of one level, and returns the states of the next.
func (x *system) level(states []state, seen *visited, symmetric bool, r *result) []state {
	workers := runtime.GOMAXPROCS(0)
	parts := make([][]state, workers)
	var at, transitions, quiet atomic.Int64
	var mu sync.Mutex // guards r.err
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for {
				i := at.Add(1) - 1
				if i >= int64(len(states)) {
					return
				}
				err := x.visit(states[i], &quiet, func(n step) {
					transitions.Add(1)
					if seen.add(n.to.hash(symmetric)) {
						parts[w] = append(parts[w], n.to)
					}
				})
				if err != nil {
					mu.Lock()
					r.err = err
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	var next []state
	for _, part := range parts {
		next = append(next, part...)
	}
	r.states += int64(len(next))
	r.transitions += transitions.Load()
	r.quiet += quiet.Load()
	return next
}

// visit checks a state and emits its transitions.
func (x *system) visit(s state, quiet *atomic.Int64, emit func(step)) (err error) {
	if s.quiet() {
		quiet.Add(1)
		if err = x.check(&s); err != nil {
			return err
		}
	}
	stuck := true
	x.steps(s, func(n step) {
		stuck = false
		if n.err != nil {
			err = n.err
		}
		emit(n)
	})
	if stuck && !s.quiet() {
		return fmt.Errorf("nothing can happen any more, and changes are not processed")
	}
	return err
}

// path finds the shortest history that ends in a violation again, and returns its steps.
func (x *system) path(start state, symmetric bool, depth int) []string {
	type visitedState struct {
		state
		from int
		by   step
	}
	seen := &visited{}
	seen.add(start.hash(symmetric))
	all := []visitedState{{state: start, from: -1}}
	var ignored atomic.Int64
	for i := 0; i < len(all); i++ {
		var last *step
		err := x.visit(all[i].state, &ignored, func(n step) {
			if n.err != nil {
				last = &n
			} else if seen.add(n.to.hash(symmetric)) {
				all = append(all, visitedState{state: n.to, from: i, by: n})
			}
		})
		if err == nil {
			continue
		}
		lines := []string{"=> " + err.Error()}
		if last != nil {
			lines = append(lines, last.String())
		}
		for ; all[i].from >= 0; i = all[i].from {
			lines = append(lines, all[i].by.String())
		}
		for a, b := 0, len(lines)-1; a < b; a, b = a+1, b-1 {
			lines[a], lines[b] = lines[b], lines[a]
		}
		return lines
	}
	return []string{strings.Repeat("?", depth)}
}
