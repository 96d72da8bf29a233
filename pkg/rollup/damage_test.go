package rollup_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// withRegisters returns the bytes of a summary with one distinct count of the given registers.
func withRegisters(registers ...byte) []byte {
	b := []byte{1, 0, 2, 0, 0, 1, 1, 'v', 0}
	for four := range slices.Chunk(registers, 4) {
		n := uint32(four[0])<<18 | uint32(four[1])<<12 | uint32(four[2])<<6 | uint32(four[3])
		b = append(b, byte(n>>16), byte(n>>8), byte(n))
	}
	return append(b, 0)
}

// The error names the first part that no program writes.
func TestDecode_NamesWhatIsDamaged(t *testing.T) {
	measure := func(rest ...byte) []byte { // one event, one position, one measure "x" of scale 0
		return append([]byte{1, 0, 1, 1, 2, 0, 1, 1, 'x'}, rest...)
	}
	for _, c := range []struct {
		name, want string
		bytes      []byte
	}{
		{"an unknown flag", "canonical form", []byte{1, 2, 0, 0, 0, 0, 0}},
		{"a byte after the end", "canonical form", []byte{1, 0, 0, 0, 0, 0, 0, 0}},
		{"an unknown flag of a measure", "canonical form", measure(32, 0, 1, 0, 0)},
		{"a sketch without bins", "canonical form", measure(16, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0, 0)},
		{"a number that overflows when it is scaled", "numbers that no values can have", measure(1, 1, 0, 0, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0xff, 0xff, 0xf, 2, 2, 2, 2, 1, 0, 0, 0, 0)},
		{"truncated without measures", "truncated without measures", []byte{1, 1, 0, 0, 0, 0, 0}},
		{"cut off in a count", "count", []byte{1, 0, 0x80}},
		{"cut off in front of a count", "count", []byte{1, 0}},
		{"cut off in a time", "step", []byte{1, 0, 1, 1, 0x80, 0x80}},
		{"cut off in a number", "end", measure(0, 1, 0, 0, 0, 0x80)},
		{"more invalid values than events", "count", measure(0, 1, 1, 0, 0, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0)},
		{"more zeros than the scale has", "digits", measure(0, 1, 0, 0, 1, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0)},
		{"a missing position", "position of a value", measure(0, 1, 0, 0, 0, 2, 2, 2, 2, 2, 1, 0, 1, 0, 0)},
		{"an empty bin between two", "empty bin", slices.Concat([]byte{1, 0, 2, 1, 2, 0, 1, 1, 'x'},
			[]byte{16, 2, 0, 0, 0, 6, 2, 4, 2, 4, 5, 0, 0, 3, 0x9a, 0x1b, 1, 2, 0, 0x42, 1, 0, 0})},
		{"too many hashes", "too many hashes", slices.Concat([]byte{1, 0, 0xff, 0xff, 1, 0, 0, 1, 1, 'v', 0x81, 2}, hashes(257), []byte{0})},
		{"a register above the greatest", "register", withRegisters(append(make([]byte, 2047), 55)...)},
		{"a value without count", "value without count", []byte{1, 0, 2, 0, 0, 0, 1, 1, 'p', 2, 1, 'a', 1, 1, 'b', 0, 0}},
		{"more of two values than events", "count", []byte{1, 0, 1, 0, 0, 0, 1, 1, 'p', 2, 1, 'a', 1, 1, 'b', 1, 0}},
		{"more of the other values than events", "count", []byte{1, 0, 1, 0, 0, 0, 1, 1, 'p', 1, 1, 'a', 1, 1}},
	} {
		s, err := rollup.Decode(c.bytes)
		if err == nil || !strings.Contains(err.Error(), ": "+c.want+": ") &&
			!strings.Contains(err.Error(), "not in "+c.want) || s != nil {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// hashes returns n different hashes in order.
func hashes(n int) (b []byte) {
	for i := range n {
		b = append(b, 0, 0, 0, 0, 0, 0, byte(i>>8), byte(i))
	}
	return b
}

// What is at a limit is valid.
func TestDecode_AcceptsWhatIsAtALimit(t *testing.T) {
	full := rollup.New(&rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "x", Percentiles: true}}})
	full.AddEvent(event(noon, "1", "x", "999999999999999.9")) // rounded to 10^15, in the last bin
	for name, b := range map[string][]byte{
		"the last bin":          full.Encode(nil),
		"as many hashes":        slices.Concat([]byte{1, 0, 0xff, 0xff, 1, 0, 0, 1, 1, 'v', 0x80, 2}, hashes(256), []byte{0}),
		"the greatest register": withRegisters(append(make([]byte, 2047), 54)...),
	} {
		s, err := rollup.Decode(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := s.Encode(nil); !bytes.Equal(got, b) {
			t.Errorf("%s: %x, want %x", name, got, b)
		}
	}
}

// Registers are estimated by the formula of Ertl's paper, with its series summed term by term.
func TestDistinct_EstimatesByErtlsFormula(t *testing.T) {
	const m, q = 2048, 53
	for name, values := range map[string]func(i int) byte{
		"few":          func(i int) byte { return byte(i % 3 / 2) },
		"many":         func(i int) byte { return byte(1 + i%20) },
		"half at most": func(i int) byte { return byte(q + 1 - i%2*4) },
	} {
		registers := make([]byte, m)
		count := make([]float64, q+2)
		for i := range registers {
			registers[i] = values(i)
			count[registers[i]]++
		}
		z := 0.
		x := 1 - count[q+1]/m
		tau := 1 - x
		for k := 1; k < 200; k++ {
			tau -= math.Pow(1-math.Pow(x, math.Exp2(float64(-k))), 2) * math.Exp2(float64(-k))
		}
		if x > 0 {
			z = m * tau / 3 * math.Exp2(-q)
		}
		for k := 1; k <= q; k++ {
			z += count[k] * math.Exp2(float64(-k))
		}
		x = count[0] / m
		sigma := x
		for k := 1; k < 20; k++ {
			sigma += math.Pow(x, math.Exp2(float64(k))) * math.Exp2(float64(k-1))
		}
		want := m * m / (2 * math.Ln2) / (z + m*sigma)
		s, err := rollup.Decode(withRegisters(registers...))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, exact, _ := s.Distinct("v"); exact || math.Abs(float64(got)-want) > 1+want/1e9 {
			t.Errorf("%s: %d, exact %t; want about %.0f", name, got, exact, want)
		}
	}
}
