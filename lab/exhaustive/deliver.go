package exhaustive

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// deliveries emits the batches that a function may get: the next change of each event, all
// that are not processed, and one that was processed or is being processed.
func (x *system) deliveries(s state, i int, emit func(step)) {
	f := &s.functions[i]
	if f.batch != 0 {
		return
	}
	all := uint16(0)
	busy := s.running()
	for e := range x.at {
		for v := s.processed[e]; v < s.made[e]; v++ {
			change := uint16(1) << (maxChanges*e + int(v))
			if busy>>(maxChanges*e)&(1<<maxChanges-1)>>s.processed[e] != 0 {
				break // changes of one item are delivered in order, but for repeats
			}
			if all |= change; v == s.processed[e] {
				x.deliver(s, i, change, emit)
			}
		}
	}
	if bits.OnesCount16(all) > 1 {
		x.deliver(s, i, all, emit)
	}
	if s.used.repeats == x.budget.repeats {
		return
	}
	for e := range x.at {
		for v := range s.made[e] {
			change := uint16(1) << (maxChanges*e + int(v))
			if v < s.processed[e] || busy&change != 0 {
				n := s
				n.used.repeats++
				x.deliver(n, i, change, emit)
			}
		}
	}
}

// deliver delivers a batch to a function, or to a new one of the deployed version in its
// place.
func (x *system) deliver(s state, i int, batch uint16, emit func(step)) {
	response := x.batch(&s, batch)
	old := s.functions[i]
	x.cold(&s, i)
	fresh := s.functions[i]
	for _, f := range []function{old, fresh} {
		n := s
		f.batch = batch
		f.at = x.step(f.at, response)
		n.functions[i] = f
		x.settle(n, i, step{who: actor(i), what: "receives", response: response}, emit)
		if old.base == fresh.base {
			return
		}
	}
}

// batch returns the changes of a batch, in order.
func (x *system) batch(s *state, batch uint16) *response {
	ticks := 0
	for e := range x.at {
		for v := range maxChanges {
			ticks = ticks<<3 | int(s.times[e][v])
		}
	}
	return x.memo("batch", int(batch), ticks, func() any { return x.makeBatch(s, batch) }).(*response)
}

func (x *system) makeBatch(s *state, batch uint16) *response {
	var changes []storage.Change
	text := "batch"
	for e := range x.at {
		for v := range maxChanges {
			if batch>>(maxChanges*e+v)&1 == 0 {
				continue
			}
			c := storage.Change{
				Type: storage.Inserted, Key: x.eventKey(e), Seq: fmt.Sprint(e, v), At: x.times[s.times[e][v]],
			}
			if v%2 == 1 {
				c.Type = cmp.Or(x.as, storage.Deleted)
			}
			changes = append(changes, c)
			text += fmt.Sprintf(" %s %d at %s", c.Type, e, x.ticks[s.times[e][v]])
		}
	}
	return x.response(&response{text: text, value: changes})
}
