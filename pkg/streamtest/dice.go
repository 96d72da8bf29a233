package streamtest

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"time"
)

// Dice are where everything random in a simulated history comes from. What a choice
// falls on depends on the seed and on the choice's name alone, never on what was
// chosen before: so a history with one thing less in it is otherwise the same
// history, and that is what makes shrinking possible.
//
// Each choice has a calm side, zero: no fault, no wait, no operation. A choice that
// the shrinker takes away falls on it. Dice are values; asking twice by one name
// answers the same twice, so give repeated choices a number: d.Of("order", i).
type Dice struct {
	tape *tape
	id   uint64
}

// tape is what one run chose.
type tape struct {
	seed  uint64
	keep  map[uint64]bool // the choices that may fall otherwise than calm; nil lets all
	taken []uint64        // those that did, in order, each once
	seen  map[uint64]bool
}

func newTape(seed uint64, keep map[uint64]bool) *tape {
	return &tape{seed: seed, keep: keep, seen: map[uint64]bool{}}
}

// Of are the dice of a part: of the operation, the request, the shard so named.
func (d Dice) Of(name string, numbers ...int) Dice {
	const prime = 1099511628211 // FNV-1a
	id := d.id
	for i := 0; i < len(name); i++ {
		id = (id ^ uint64(name[i])) * prime
	}
	id = scramble(id)
	for _, n := range numbers {
		id = scramble(id ^ uint64(n)*0x9E3779B97F4A7C15)
	}
	return Dice{tape: d.tape, id: id}
}

// Pick is one of 0 to n-1, each as likely; 0 is calm.
func (d Dice) Pick(name string, n int) int {
	d = d.Of(name)
	fell := int(d.roll() % uint64(n))
	return fell * d.unless(fell == 0)
}

// Chance is true with a probability; false is calm.
func (d Dice) Chance(name string, probability float64) bool {
	d = d.Of(name)
	fell := float64(d.roll()>>11)/(1<<53) < probability
	return fell && d.unless(!fell) == 1
}

// Span is a duration of whole milliseconds from zero, which is calm, to below most.
func (d Dice) Span(name string, most time.Duration) time.Duration {
	if most < time.Millisecond {
		return 0
	}
	return time.Duration(d.Pick(name, int(most.Milliseconds()))) * time.Millisecond
}

// Rand is a random source for code that wants one; it follows from the seed and from
// whose dice these are, and shrinking leaves it as it is.
func (d Dice) Rand() io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], d.tape.seed)
	binary.LittleEndian.PutUint64(key[8:], d.id)
	return rand.NewChaCha8(key)
}

// roll is what the choice falls on while nobody takes it away.
func (d Dice) roll() uint64 { return scramble(d.tape.seed*0xD1342543DE82EF95 ^ d.id) }

// unless is 1 where the choice may fall as it did, and remembers that it did.
func (d Dice) unless(calm bool) int {
	t := d.tape
	if calm || t.keep != nil && !t.keep[d.id] {
		return 0
	}
	if !t.seen[d.id] {
		t.seen[d.id] = true
		t.taken = append(t.taken, d.id)
	}
	return 1
}

// scramble is the finaliser of SplitMix64: each bit of the result hangs on all of x.
func scramble(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
