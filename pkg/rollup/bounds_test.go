package rollup

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// bounds[i] is the least integer b with b^116 ≥ 10^(17·116+i).
func TestBounds_AreTheRootsOfPowersOfTen(t *testing.T) {
	power := func(base uint64, exponent int64) *big.Int {
		return new(big.Int).Exp(new(big.Int).SetUint64(base), big.NewInt(exponent), nil)
	}
	for i, bound := range bounds {
		root := power(10, int64(17*binsPerDecade+i))
		if power(bound, binsPerDecade).Cmp(root) < 0 || power(bound-1, binsPerDecade).Cmp(root) >= 0 {
			t.Errorf("bounds[%d] = %d is not the root of 10^%d rounded up", i, bound, 17*binsPerDecade+i)
		}
	}
}

func TestBinOf_ReturnsTheLastBoundNotAbove(t *testing.T) {
	check := func(mantissa uint64) {
		t.Helper()
		if bin := binIndex(mantissa); bounds[bin] > mantissa || mantissa >= bounds[bin+1] {
			t.Errorf("bin of %d is %d, from %d to %d", mantissa, bin, bounds[bin], bounds[bin+1])
		}
	}
	for i, bound := range bounds[:binsPerDecade] {
		check(bound)
		check(bounds[i+1] - 1)
	}
	for cell := bounds[0]>>cellShift + 1; cell < bounds18>>cellShift; cell++ {
		check(cell << cellShift)
		check(cell<<cellShift - 1)
	}
}

// A number has the same key at every scale, and the value of its bin is at most 1 % away.
func TestKeyOf_DependsOnTheNumberOnlyAndIsWithinOnePercent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`-?[1-9][0-9]{0,14}`).Draw(t, "digits")
		exponent := rapid.SampledFrom([]string{"", "e-1", "e-3", "e-9", "e-14"}).Draw(t, "exponent")
		d, err := model.ParseDecimal(digits + exponent)
		if err != nil {
			t.Fatal(err)
		}
		n, _, _ := d.Scaled(MaxScale)
		key := sketchKey(&n, MaxScale)
		for scale := range MaxScale {
			if n, exact, _ := d.Scaled(scale); exact && sketchKey(&n, scale) != key {
				t.Fatalf("key of %s is %d at scale %d, %d at scale %d", d, sketchKey(&n, scale), scale, key, MaxScale)
			}
		}
		if x := d.Float64(); apart(valueOfBin(key), x) > 0.01 {
			t.Fatalf("%s is in bin %d, whose value %v is %.4f %% away", d, key, valueOfBin(key),
				100*apart(valueOfBin(key), x))
		}
	})
}

func apart(got, want float64) float64 {
	if got == want {
		return 0
	}
	return max(got-want, want-got) / max(want, -want)
}

func TestKeyOf_KeepsTheOrderOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Int64Range(-1e15+1, 1e15-1)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		low, high := model.NewDecimal(a), model.NewDecimal(b)
		x, _, _ := low.Scaled(0)
		y, _, _ := high.Scaled(0)
		if sketchKey(&x, 0) > sketchKey(&y, 0) {
			t.Fatalf("key of %d is above the key of %d", a, b)
		}
	})
}

func TestKeyOf_ReachesFromTheLeastToTheGreatest(t *testing.T) {
	const maxKey = 1 + (2*MaxScale)*binsPerDecade
	least := uint256.NewInt(1)
	var greatest uint256.Int
	greatest.Mul(&powersOf10[MaxScale], &powersOf10[model.MaxMeasureDigits])
	if key := sketchKey(least, MaxScale); key != 1 {
		t.Errorf("key of 1e-15 is %d, want 1", key)
	}
	if key := sketchKey(&greatest, MaxScale); key != maxKey {
		t.Errorf("key of 1e15 is %d, want %d", key, maxKey)
	}
	if key := sketchKey(greatest.Neg(&greatest), MaxScale); key != -maxKey {
		t.Errorf("key of -1e15 is %d, want %d", key, -maxKey)
	}
}

func TestDigitsOf_CountsDecimalDigits(t *testing.T) {
	for digits := range len(powersOf10) - 1 {
		first, below := powersOf10[digits], powersOf10[digits+1]
		below.SubUint64(&below, 1)
		if countDigits(&first) != digits+1 || countDigits(&below) != digits+1 {
			t.Errorf("digits of %s and %s: %d and %d, want %d", first.Dec(), below.Dec(), countDigits(&first),
				countDigits(&below), digits+1)
		}
	}
}

// A bin is represented by the harmonic mean of its bounds, rounded to five digits.
func TestValueOfBin_IsTheHarmonicMeanToFiveDigits(t *testing.T) {
	for i := range binsPerDecade {
		low, high := new(big.Rat).SetUint64(bounds[i]), new(big.Rat).SetUint64(bounds[i+1])
		mean := new(big.Rat).Mul(low, high)
		mean.Quo(mean.Mul(mean, big.NewRat(2, 1)), low.Add(low, high))
		mean.Quo(mean, new(big.Rat).SetInt64(1e17)) // bin i from 1 on
		var want float64
		if _, err := fmt.Sscan(mean.FloatString(4), &want); err != nil {
			t.Fatal(err)
		}
		key := int32(1 - leastExponent*binsPerDecade + i)
		if got := valueOfBin(key); got != want || valueOfBin(-key) != -want {
			t.Errorf("bin %d is represented by %v and %v, want %v and its opposite", i, got, valueOfBin(-key), want)
		}
	}
}
