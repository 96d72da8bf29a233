package simstream

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"time"
)

// Dice make all random choices of a simulated history. A choice depends only on the seed and on its name, not
// on earlier choices, so that removing one choice does not change the others. Shrinking needs this.
//
// Each choice has a default, zero: no fault, no wait, no operation. Shrinking replaces a choice
// by its default. The same name always gives the same choice, so number repeated choices:
// d.Part("order", i). Dice are values.
type Dice struct {
	tape *tape
	id   uint64
}

// tape records the choices of one run.
type tape struct {
	seed  uint64
	keep  map[uint64]bool // choices that may differ from the default; nil means all
	taken []uint64        // choices that differ from the default, in order, each once
	seen  map[uint64]bool
}

func newTape(seed uint64, keep map[uint64]bool) *tape {
	return &tape{seed: seed, keep: keep, seen: map[uint64]bool{}}
}

// Part returns the dice of a part, such as an operation, a request or a shard.
func (d Dice) Part(name string, numbers ...int) Dice {
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

// Pick returns a number from 0, the default, to n-1, with equal probabilities.
func (d Dice) Pick(name string, n int) int {
	d = d.Part(name)
	value := int(d.roll() % uint64(n))
	return value * d.unless(value == 0)
}

// Chance returns true with a probability. The default is false.
func (d Dice) Chance(name string, probability float64) bool {
	d = d.Part(name)
	value := float64(d.roll()>>11)/(1<<53) < probability
	return value && d.unless(!value) == 1
}

// Span returns a duration of whole milliseconds from zero, the default, to below most.
func (d Dice) Span(name string, most time.Duration) time.Duration {
	if most < time.Millisecond {
		return 0
	}
	return time.Duration(d.Pick(name, int(most.Milliseconds()))) * time.Millisecond
}

// Rand returns a random source that depends only on the seed and on the part. Shrinking does not change it.
func (d Dice) Rand() io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], d.tape.seed)
	binary.LittleEndian.PutUint64(key[8:], d.id)
	return rand.NewChaCha8(key)
}

// roll returns the value of the choice before shrinking.
func (d Dice) roll() uint64 { return scramble(d.tape.seed*0xD1342543DE82EF95 ^ d.id) }

// unless returns 1 and records the choice if it may differ from the default, and 0 otherwise.
func (d Dice) unless(isDefault bool) int {
	t := d.tape
	if isDefault || t.keep != nil && !t.keep[d.id] {
		return 0
	}
	if !t.seen[d.id] {
		t.seen[d.id] = true
		t.taken = append(t.taken, d.id)
	}
	return 1
}

// scramble is the finalizer of SplitMix64: each bit of the result depends on all bits of x.
func scramble(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}
