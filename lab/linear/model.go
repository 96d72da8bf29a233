package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// state is the state of one series, as a caller may imagine it.
type state struct {
	stored      [Slots + 1]uint8 // payload of the event at each slot
	slot, value uint8            // of the latest item
}

// policy is what the kind declares of late events and latest items.
type policy struct{ drop, withoutLatest bool }

func newPolicy(k *catalog.Kind) policy {
	return policy{drop: k.Late == catalog.DropLate, withoutLatest: !k.HasLatest()}
}

// append returns the outcome of an append that is carried out alone, and the state after it. It is
// the documented precedence: collision, duplicate, conflict, then late or stale.
func (p policy) append(s state, o *Operation) (model.Outcome, state) {
	taken := s.stored[o.Slot]
	if taken == 0 && s.slot == o.Slot {
		taken = s.value // the event was deleted; the latest item still knows it
	}
	switch {
	case taken == o.Payload:
		return model.Duplicate, s
	case taken != 0:
		return model.Collision, s
	case o.Where != 0 && o.Where != s.value:
		return model.Conflict, s
	case s.slot > o.Slot && p.drop:
		return model.Stale, s
	}
	s.stored[o.Slot] = o.Payload
	if s.slot > o.Slot {
		return model.Late, s
	}
	if !p.withoutLatest {
		s.slot, s.value = o.Slot, o.Payload
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
			s.stored[o.Slot] = o.Payload // the latest item does not change
		}
		return o.Lost || was == o.Found, s
	case ReadEvent:
		return s.stored[o.Slot] == o.Got, s
	default:
		return s.slot == o.GotSlot && s.value == o.Got, s
	}
}

// showsLatest reports whether the latest item that a conflict returned is the one in the state.
func (p policy) showsLatest(s state, o *Operation) bool {
	return o.Outcome != model.Conflict || o.GotUnknown || s.slot == o.GotSlot && s.value == o.Got
}

// model returns the sequential specification for porcupine.
func (p policy) model() porcupine.Model {
	return porcupine.Model{
		Init:              func() any { return state{} },
		Step:              func(was, input, _ any) (bool, any) { return p.step(was.(state), input.(*Operation)) },
		DescribeOperation: func(input, _ any) string { return input.(*Operation).String() },
		DescribeState: func(was any) string {
			s := was.(state)
			return fmt.Sprintf("latest %d@%d, events %v", s.value, s.slot, s.stored[1:])
		},
	}
}
