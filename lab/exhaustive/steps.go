package exhaustive

import (
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// system is a scenario with the real code of its processes.
type system struct {
	*scenario
	*processes
	tables *tables
	made   sync.Map // by memoKey
}

func newSystem(sc *scenario) (*system, error) {
	if err := sc.prepare(); err != nil {
		return nil, err
	}
	x := &system{scenario: sc, processes: newProcesses()}
	x.tables = &tables{procs: x.processes, eventOf: sc.eventIndex, known: map[string]*table{}}
	return x, nil
}

// first returns the first states.
func (x *system) first() state {
	s := state{table: x.tables.empty()}
	for i := range x.scenario.functions {
		x.cold(&s, i)
	}
	return s
}

// cold replaces a function by a new one of the deployed version.
func (x *system) cold(s *state, i int) {
	version := s.version
	l := x.memo("function", int(version), i, func() any {
		return x.root(fmt.Sprint("function ", version, x.skews[i]), x.function(version))
	}).(*local)
	s.functions[i] = function{process: process{at: l}, base: l}
}

func (x *system) now(s *state) model.Time { return x.times[s.tick] }

// steps calls emit with each transition of a state.
func (x *system) steps(s state, emit func(step)) {
	for i := range processCount {
		x.emitSteps(s, i, emit)
	}
	for i := range x.scenario.functions {
		x.deliveries(s, i, emit)
	}
	x.users(s, emit)
	x.begin(s, emit)
	if x.ttl {
		x.expiries(s, emit)
	}
	if int(s.version)+1 < len(x.policies) {
		n := s
		n.version++
		emit(step{who: operator, what: "deploys the next configuration", to: n})
	}
	if x.mayTick(&s) {
		n := s
		n.tick++
		for i := range processCount {
			n.process(i).held = false
		}
		x.settleAll(n, 0, step{who: ticking, response: x.readClock(&n, 0)}, emit)
	}
}

// mayTick reports whether time may pass. The table stream keeps a change for a day: more
// than that passes only when all changes are processed. The repair of lost changes is not
// part of a scenario.
func (x *system) mayTick(s *state) bool {
	next := int(s.tick) + 1
	if next == len(x.times) {
		return false
	}
	return x.times[next].Sub(x.times[s.tick]) <= aggregate.StreamRetention ||
		s.made == s.processed && s.running() == 0 && s.ingest.at == nil
}

// settleAll runs each process to its next request of the table.
func (x *system) settleAll(s state, i int, as step, emit func(step)) {
	if i == processCount {
		as.to = s
		emit(as)
		return
	}
	x.settle(s, i, as, func(n step) { x.settleAll(n.to, i+1, as, emit) })
}

// emitSteps emits what one process does next: its request is carried out, or meets a fault.
// A crash between two writes is one before the next write, and needs no transition of its
// own: it is one right after the last write.
func (x *system) emitSteps(s state, i int, emit func(step)) {
	p := s.process(i)
	if p.at == nil || p.held {
		return
	}
	r := x.next(p.at)
	if r.kind != reads && r.kind != writes {
		return
	}
	to, response := x.tables.apply(s.table, r, x.now(&s))
	done := s
	x.stored(&done, to)
	n := done
	n.process(i).at = x.step(p.at, response)
	x.settle(n, i, step{who: actor(i), request: r, response: response}, emit)
	if r.kind != writes {
		return
	}
	if s.used.unknowns < x.budget.unknowns {
		what := [2]string{"without response, not carried out:", "without response, carried out:"}
		for n, from := range []state{s, done} {
			from.used.unknowns++
			from.process(i).at = x.step(p.at, x.unknown())
			x.settle(from, i, step{who: actor(i), what: what[n], request: r}, emit)
		}
	}
	if s.used.crashes < x.budget.crashes {
		done.used.crashes++
		*done.process(i) = process{}
		if i < maxFunctions {
			x.noteLate(&done, done.functions[i].batch)
			x.cold(&done, i)
		}
		emit(step{who: actor(i), what: "crashes after", request: r, to: done})
	}
}

func (x *system) unknown() *response {
	return x.memo("unknown", 0, 0, func() any {
		return x.response(&response{text: "unknown", value: &reply{result: storage.Unknown,
			stored: storage.StoreResult{Result: storage.Unknown}}})
	}).(*response)
}

// stored replaces the table, and records the changes of events.
func (x *system) stored(s *state, to *table) {
	for e := range x.at {
		bit := uint8(1) << e
		if to.events&^s.table.events&bit != 0 {
			s.change(e)
		}
	}
	s.table = to
}

// change records a change of an event.
func (c *control) change(e int) {
	c.times[e][c.made[e]] = c.tick
	c.made[e]++
}
