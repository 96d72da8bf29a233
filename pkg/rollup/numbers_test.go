package rollup

import (
	"math"
	"testing"

	"github.com/holiman/uint256"

	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestDigitsOf_CountsTheDigitsAroundEachPowerOfTen(t *testing.T) {
	t.Parallel()
	power := uint256.NewInt(1)
	for digits := 1; digits <= 31; digits++ {
		var last uint256.Int
		if last.Sub(power, uint256.NewInt(1)); digits > 1 && countDigits(&last) != digits-1 ||
			countDigits(power) != digits {
			t.Errorf("%s has %d digits and %s has %d, want %d and %d", last.Dec(), countDigits(&last), power.Dec(),
				countDigits(power), digits-1, digits)
		}
		power.Mul(power, uint256.NewInt(10))
	}
	if power.Sub(power, uint256.NewInt(1)); countDigits(power) != 31 {
		t.Errorf("%s has %d digits, want 31", power.Dec(), countDigits(power))
	}
}

// Ertl's tau is (1 - x - Σ (1 - x^(2^-k))² 2^-k) / 3 over k from 1 on.
func TestSaturated_IsTheSumOfErtlsSeries(t *testing.T) {
	t.Parallel()
	for _, x := range []float64{0, 0.01, 0.3, 0.5, 0.9, 0.999, 1} {
		want := 1 - x
		for k := 1; k <= 60; k++ {
			half := math.Pow(2, float64(-k))
			want -= math.Pow(1-math.Pow(x, half), 2) * half
		}
		if want /= 3; x == 0 {
			want = 0 // no register is at its maximum
		}
		if got := saturated(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("of %v: %v, want %v", x, got, want)
		}
	}
}

func TestWide_ReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	most := new(uint256.Int).Not(new(uint256.Int))
	for shift := uint(0); shift < 256; shift++ {
		n := new(uint256.Int).Rsh(most, shift)
		r := reader{rest: appendWide(nil, n)}
		if got := r.wide(); !got.Eq(n) || r.err != nil || len(r.rest) != 0 {
			t.Errorf("%s was read as %s, %v, with %d bytes left", n.Hex(), got.Hex(), r.err, len(r.rest))
		}
	}
	tooLarge := appendWide(nil, most)
	tooLarge[len(tooLarge)-1] = 0x10 // the bit after the 256th
	if r := (reader{rest: tooLarge}); r.wide() != (uint256.Int{}) && r.err == nil {
		t.Error("a number of 257 bits was read")
	}
}

// A sketch that missed a value would give percentiles of the others.
func TestTotals_DropASketchThatMissesAValue(t *testing.T) {
	t.Parallel()
	var all totals
	for i, sketched := range []bool{true, true, false, true} {
		all.addSmall(int64(i), &MeasureSpec{Percentiles: sketched}, &model.Order{At: model.Time(i)})
		if has := len(all.sketch) > 0; has != (i < 2) {
			t.Errorf("after value %d the sketch is there: %v", i, has)
		}
	}
}
