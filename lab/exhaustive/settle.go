package exhaustive

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// settle runs a process to its next request of the table. All else that it asks for is
// independent of the other processes: only the clock is not. Each reading of the clock
// happens at once, or after the next tick.
func (x *system) settle(s state, i int, as step, emit func(step)) {
	for {
		p := s.process(i)
		if p.at == nil {
			break
		}
		r := x.next(p.at)
		switch r.kind {
		case clock:
			if x.mayTick(&s) {
				held := s
				held.process(i).held = true
				late := as
				late.to = held
				emit(late)
			}
			p.at = x.step(p.at, x.readClock(&s, i))
			continue
		case nonce:
			n := bits.TrailingZeros64(^(s.revs() | 1))
			p.at = x.step(p.at, x.memo("nonce", n, 0, func() any {
				return x.response(&response{text: fmt.Sprint("nonce ", n), value: byte(n), revs: 1 << n})
			}).(*response))
			continue
		case begin:
			s.begun = true
			s.atLeast = s.processed
			s.stored = s.made
			for e := range x.at {
				if x.lateWaits(&s)>>e&1 == 1 {
					s.atLeast[e] = 0
				}
			}
			p.at = x.step(p.at, x.memo("begin", 0, 0, func() any {
				return x.response(&response{text: "begin"})
			}).(*response))
			continue
		case reads:
			if r.phase == beginning && !x.remembersAll {
				p.at = x.forget(p.at)
			}
		case idle:
			as.err = x.finish(&s, i, r)
		case ended:
			as.err = x.end(&s, i, r)
		}
		break
	}
	as.to = s
	emit(as)
}

// readClock returns what the clock of a process shows.
func (x *system) readClock(s *state, i int) *response {
	return x.memo("clock", int(s.tick), i, func() any {
		at := x.times[s.tick].Add(x.skews[i])
		return x.response(&response{text: fmt.Sprint("clock ", at), value: at})
	}).(*response)
}

// finish acknowledges the batch of a function. The function forgets all but what it
// remembers of invalidations that it has put.
func (x *system) finish(s *state, i int, r *request) error {
	f := &s.functions[i]
	if f.batch == 0 {
		return nil // it is new
	}
	if r.text != "" {
		return errors.New("the function failed: " + r.text)
	}
	for e := range x.at {
		for v := range uint8(maxChanges) {
			if f.batch>>(maxChanges*e+int(v))&1 == 1 {
				s.processed[e] = max(s.processed[e], v+1)
			}
		}
	}
	x.noteLate(s, f.batch)
	f.batch = 0
	if !x.remembersAll {
		f.at = x.forget(f.at)
	}
	f.base = f.at
	return nil
}

// noteLate notes the events of a batch that was processed, or begun, when rows may be sealed.
func (x *system) noteLate(s *state, batch uint16) {
	for e := range x.at {
		if x.sealed > 0 && int(s.tick) >= x.sealed && batch>>(maxChanges*e)&(1<<maxChanges-1) != 0 {
			s.late |= 1 << e
		}
	}
}

// end ends a process that runs once.
func (x *system) end(s *state, i int, r *request) error {
	*s.process(i) = process{}
	if a, isRead := r.value.(*readResult); isRead {
		err := x.checkRead(s, a)
		s.begun = false
		s.atLeast = [maxEvents]uint8{}
		s.stored = [maxEvents]uint8{}
		return err
	}
	if results, isAppend := r.value.([]model.AppendResult); isAppend {
		s.sending = 0
		if r.text != "" {
			return fmt.Errorf("the append failed: %s %v", r.text, results)
		}
		return nil
	}
	if r.text != "" {
		return errors.New("the sweep failed: " + r.text)
	}
	return nil
}
