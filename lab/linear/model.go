package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// state is the state of one series, as a caller may imagine it.
type state struct {
	stored [Slots + 1]uint8 // payload of the event at each slot
	latest entry
	// folding is what a fold of the latest item has read: it writes that, unless the item changes before.
	folding  entry
	isFolded bool // folding is what a fold has read
}

// entry is an event as a latest item has it; zero for none.
type entry struct{ slot, value uint8 }

// policy is what the kind declares of late events and latest items.
type policy struct {
	drop, withoutLatest bool
	// follows is set where processes fold the latest item when an event is deleted or corrected, at any time
	// after that.
	follows bool
}

func (l *Log) policy() policy {
	return policy{drop: l.Kind.Late == catalog.DropLate, withoutLatest: !l.Kind.HasLatest(), follows: l.Follows}
}

// newest returns the newest stored event.
func (s state) newest() entry {
	for slot := uint8(Slots); slot > 0; slot-- {
		if s.stored[slot] != 0 {
			return entry{slot, s.stored[slot]}
		}
	}
	return entry{}
}

// read returns the state after a fold has read, and write the state after it has written.
func (s state) read() state {
	s.folding, s.isFolded = s.newest(), true
	return s
}

func (s state) write() state {
	if s.isFolded {
		s.latest = s.folding
	}
	s.folding, s.isFolded = entry{}, false
	return s
}

// meanwhile returns the states in which an operation may find a series whose latest item is folded.
func (s state) meanwhile() []state {
	written := s.write()
	return []state{s, s.read(), written, s.read().write(), written.read()}
}

// append returns the outcome of an append that is carried out alone, and the state after it. It is
// the documented precedence: collision, duplicate, conflict, then late or stale.
func (p policy) append(s state, o *Operation) (model.Outcome, state) {
	taken := s.stored[o.Slot]
	if taken == 0 && s.latest.slot == o.Slot {
		taken = s.latest.value // the event was deleted; the latest item still knows it
	}
	switch {
	case taken == o.Payload:
		return model.Duplicate, s
	case taken != 0:
		return model.Collision, s
	case o.Where != 0 && o.Where != s.latest.value:
		return model.Conflict, s
	case s.latest.slot > o.Slot && p.drop:
		return model.Stale, s
	}
	s.stored[o.Slot] = o.Payload
	if s.latest.slot > o.Slot {
		return model.Late, s
	}
	if !p.withoutLatest {
		s.latest = entry{o.Slot, o.Payload}
		s.folding, s.isFolded = entry{}, false
	}
	return model.Applied, s
}

// step carries out one operation and reports whether its response is possible in the state. An
// attempt without response is always possible: one that had no effect comes last.
func (p policy) step(s state, o *Operation) (bool, state) {
	switch o.Verb {
	case Append:
		outcome, next := p.append(s, o)
		if o.Lost || outcome == o.Outcome && p.showsLatest(s, o) {
			return true, next
		}
		// The first attempt stored the event, and a later one found it.
		return o.Unsure && o.Outcome == model.Duplicate && next != s, next
	case Delete, Erase:
		was := s.stored[o.Slot] != 0
		s.stored[o.Slot] = 0
		return o.Lost || o.Verb == Erase || was == o.Found || o.Unsure && o.Found, s
	case Correct:
		was := s.stored[o.Slot] != 0
		if was {
			s.stored[o.Slot] = o.Payload // the latest item does not change by it
		}
		return o.Lost || was == o.Found, s
	case ReadEvent:
		return s.stored[o.Slot] == o.Got, s
	default:
		return s.latest == o.latest(), s
	}
}

// showsLatest reports whether the latest item that a conflict returned is the one in the state.
func (p policy) showsLatest(s state, o *Operation) bool {
	return o.Outcome != model.Conflict || o.GotUnknown || s.latest == o.latest()
}

// latest is the latest item in the response.
func (o *Operation) latest() entry { return entry{o.GotSlot, o.Got} }

// model returns the sequential specification for porcupine.
func (p policy) model() porcupine.Model {
	operation := func(input, _ any) string { return input.(*Operation).String() }
	describe := func(was any) string {
		s := was.(state)
		return fmt.Sprintf("latest %d@%d, events %v", s.latest.value, s.latest.slot, s.stored[1:])
	}
	if p.follows {
		m := porcupine.NondeterministicModel{
			Init: func() []any { return []any{state{}} }, Step: p.steps,
			DescribeOperation: operation, DescribeState: describe,
		}
		return m.ToModel()
	}
	return porcupine.Model{
		Init:              func() any { return state{} },
		Step:              func(was, input, _ any) (bool, any) { return p.step(was.(state), input.(*Operation)) },
		DescribeOperation: operation, DescribeState: describe,
	}
}

// steps is step for each state in which the operation may find the series.
func (p policy) steps(was, input, _ any) (all []any) {
	for _, s := range was.(state).meanwhile() {
		if possible, next := p.step(s, input.(*Operation)); possible {
			all = append(all, next)
		}
	}
	return all
}
