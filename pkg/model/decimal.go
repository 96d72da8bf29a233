package model

import (
	"cmp"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/holiman/uint256"
)

// Decimal is an exact decimal number with the range of DynamoDB: up to 38 significant digits,
// none of them below 1e-130, magnitudes below 1e126. It is always normalised (no trailing
// zeros; zero is the zero value), so that equal numbers are equal with ==.
type Decimal struct {
	coef uint256.Int // magnitude, below 10^38 except from Unscaled
	exp  int32       // value = ±coef × 10^exp
	neg  bool
}

// Bounds of a DynamoDB number.
const (
	maxDigits = 38
	maxExp    = 125
	minExp    = -130
)

// maxCoefDigits is the number of decimal digits of the largest 256-bit number.
const maxCoefDigits = 78

var (
	ten      = uint256.NewInt(10)
	pow10tab = makePow10()
)

func makePow10() (t [maxCoefDigits]uint256.Int) {
	t[0] = *uint256.NewInt(1)
	for i := 1; i < len(t); i++ {
		t[i].Mul(&t[i-1], ten)
	}
	return t
}

// NewDecimal returns n as a Decimal.
func NewDecimal(n int64) Decimal {
	d := Decimal{neg: n < 0}
	if d.neg {
		d.coef.SetUint64(uint64(-n))
	} else {
		d.coef.SetUint64(uint64(n))
	}
	return d.normalised()
}

// normalised returns d without trailing zeros in the coefficient.
func (d Decimal) normalised() Decimal {
	if d.coef.IsZero() {
		return Decimal{}
	}
	var q, r uint256.Int
	for {
		q.DivMod(&d.coef, ten, &r)
		if !r.IsZero() {
			return d
		}
		d.coef, d.exp = q, d.exp+1
	}
}

// IsZero reports whether d is zero.
func (d Decimal) IsZero() bool { return d.coef.IsZero() }

// Neg returns -d.
func (d Decimal) Neg() Decimal {
	if !d.IsZero() {
		d.neg = !d.neg
	}
	return d
}

// Plus returns d + e, exactly, as sums are: String is exact with more than 38 digits, too. ok is false if the
// numbers are so far apart that 256 bits do not hold the sum.
func (d Decimal) Plus(e Decimal) (sum Decimal, ok bool) {
	switch {
	case d.IsZero():
		return e, true
	case e.IsZero():
		return d, true
	case d.exp < e.exp:
		return e.Plus(d)
	}
	shift := int(d.exp - e.exp)
	if shift >= len(pow10tab) {
		return Decimal{}, false
	}
	overflow := false
	if _, overflow = d.coef.MulOverflow(&d.coef, &pow10tab[shift]); overflow {
		return Decimal{}, false
	}
	sum = Decimal{exp: e.exp, neg: d.neg}
	switch {
	case d.neg == e.neg:
		_, overflow = sum.coef.AddOverflow(&d.coef, &e.coef)
	case d.coef.Lt(&e.coef):
		sum.neg = e.neg
		sum.coef.Sub(&e.coef, &d.coef)
	default:
		sum.coef.Sub(&d.coef, &e.coef)
	}
	return sum.normalised(), !overflow
}

// digits returns the number of decimal digits of the coefficient; zero has none.
func (d Decimal) digits() int {
	// 1233/4096 is log10 2 to within a hundredth of a digit over 256 bits, so the
	// product is the result or one less.
	n := d.coef.BitLen() * 1233 >> 12
	if d.coef.Cmp(&pow10tab[n]) >= 0 { // n is 77 at most
		n++
	}
	return n
}

// MaxMeasureDigits limits the value of a measure: |value| < 10^15.
const MaxMeasureDigits = 15

// Scaled returns d × 10^scale as a 256-bit integer in two's complement, rounded half to even. exact is false
// if digits were rounded off. ok is false if |d| is 10^15 or more (see MaxMeasureDigits), so that sums of
// squares of 2^40 such numbers fit. scale must be from 0 to 60.
func (d Decimal) Scaled(scale int) (n uint256.Int, exact, ok bool) {
	digits := d.digits()
	if digits+int(d.exp) > MaxMeasureDigits && !d.IsZero() {
		return n, false, false
	}
	n, exact = d.coef, true
	shift := int(d.exp) + scale
	switch {
	case d.IsZero():
	case shift >= 0:
		n.Mul(&n, &pow10tab[shift])
	case -shift > digits || -shift >= maxCoefDigits: // less than a tenth of a unit
		n.Clear()
		exact = false
	default:
		n, exact = divHalfEven(&d.coef, &pow10tab[-shift])
	}
	if d.neg {
		n.Neg(&n)
	}
	return n, exact, true
}

// Scaled64 is a faster Scaled for results that are exact and below 10^18, as they are for most
// measures. If ok is false, the caller must use Scaled.
func (d *Decimal) Scaled64(scale int) (n int64, ok bool) {
	shift := int(d.exp) + scale
	if !d.coef.IsUint64() || uint(shift) >= uint(len(smallPowers)) {
		return 0, false
	}
	high, magnitude := bits.Mul64(d.coef[0], smallPowers[shift])
	if high != 0 || magnitude >= smallPowers[min(MaxMeasureDigits+scale, chunkDigits)] {
		return 0, false
	}
	if d.neg {
		return -int64(magnitude), true
	}
	return int64(magnitude), true
}

// smallPowers are the powers of ten that fit 64 bits.
var smallPowers = func() (powers [20]uint64) {
	powers[0] = 1
	for i := 1; i < len(powers); i++ {
		powers[i] = 10 * powers[i-1]
	}
	return powers
}()

// divHalfEven returns n/by rounded half to even. by must be even.
func divHalfEven(n, by *uint256.Int) (q uint256.Int, exact bool) {
	var r, half uint256.Int
	q.DivMod(n, by, &r)
	half.Rsh(by, 1)
	if c := r.Cmp(&half); c > 0 || c == 0 && q[0]&1 == 1 {
		q.AddUint64(&q, 1)
	}
	return q, r.IsZero()
}

// Unscaled returns n × 10^-scale, with n in two's complement. It is the inverse of Scaled. The
// result may have more than 38 digits, as sums have; its String is exact all the same.
func Unscaled(n uint256.Int, scale int) Decimal {
	d := Decimal{neg: n.Sign() < 0, exp: int32(-scale)}
	d.coef.Abs(&n)
	return d.normalised()
}

// Float64 returns the nearest float64.
func (d Decimal) Float64() float64 {
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}

// Rat returns d as an exact fraction.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

// Cmp returns a negative number if d < e, zero if d == e, and a positive number if d > e.
func (d Decimal) Cmp(e Decimal) int {
	if d.sign() != e.sign() {
		return cmp.Compare(d.sign(), e.sign())
	}
	return d.sign() * d.cmpMagnitude(e)
}

func (d Decimal) sign() int {
	switch {
	case d.IsZero():
		return 0
	case d.neg:
		return -1
	default:
		return 1
	}
}

// cmpMagnitude compares |d| with |e|. Either both or none of them are zero.
func (d Decimal) cmpMagnitude(e Decimal) int {
	if d.exp < e.exp {
		return -e.cmpMagnitude(d)
	}
	if c := cmp.Compare(d.digits()+int(d.exp), e.digits()+int(e.exp)); c != 0 {
		return c
	}
	// Both begin at the same digit, so that aligned has as many digits as e's coefficient:
	// at most 77, like 2^255. All numbers of 77 digits fit.
	var aligned uint256.Int
	aligned.Mul(&d.coef, &pow10tab[d.exp-e.exp])
	return aligned.Cmp(&e.coef)
}
