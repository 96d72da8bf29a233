package model

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/holiman/uint256"
)

// Decimal is an exact decimal number, as DynamoDB keeps them: up to 38 significant
// digits, magnitudes from 1e-130 below 1e126. It is always in lowest form (no
// trailing zeros; zero is the zero value), so equal numbers are equal with ==.
type Decimal struct {
	coef uint256.Int // magnitude, below 10^38
	exp  int32       // value = ±coef × 10^exp
	neg  bool
}

// Bounds of a DynamoDB number.
const (
	maxDigits = 38
	maxExp    = 125
	minExp    = -130
)

// Errors of ParseDecimal.
var (
	ErrNumberForm  = errors.New("not a decimal number")
	ErrNumberRange = errors.New("number out of range: at most 38 significant digits, magnitude 1e-130 to 9.99e125")
)

var (
	ten      = uint256.NewInt(10)
	pow10tab = makePow10()
)

func makePow10() (t [78]uint256.Int) {
	t[0] = *uint256.NewInt(1)
	for i := 1; i < len(t); i++ {
		t[i].Mul(&t[i-1], ten)
	}
	return t
}

// DecimalOf is n as a Decimal.
func DecimalOf(n int64) Decimal {
	d := Decimal{neg: n < 0}
	if d.neg {
		d.coef.SetUint64(uint64(-n))
	} else {
		d.coef.SetUint64(uint64(n))
	}
	return d.lowest()
}

// ParseDecimal reads a JSON number, or the same with a leading plus sign.
func ParseDecimal(text string) (Decimal, error) {
	d, err := parseDecimal(text)
	if err != nil {
		return Decimal{}, fmt.Errorf("%q: %w", clip(text), err)
	}
	return d, nil
}

// MustDecimal is ParseDecimal for literals in tests and examples; it panics on
// text that is not a number.
func MustDecimal(text string) Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

func parseDecimal(text string) (Decimal, error) {
	var d Decimal
	s := text
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.neg, s = s[0] == '-', s[1:]
	}
	mantissa, exponent := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var err error
		if exponent, err = parseExponent(s[i+1:]); err != nil {
			return Decimal{}, err
		}
		mantissa = s[:i]
	}
	whole, frac, dot := strings.Cut(mantissa, ".")
	if whole == "" || dot && frac == "" || !digitsOnly(whole) || !digitsOnly(frac) {
		return Decimal{}, ErrNumberForm
	}
	digits := strings.TrimLeft(whole+frac, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return Decimal{}, nil
	}
	exponent += len(digits) - len(trimmed) - len(frac)
	if len(trimmed) > maxDigits || exponent < minExp || exponent+len(trimmed)-1 > maxExp {
		return Decimal{}, ErrNumberRange
	}
	for len(trimmed) > 0 {
		n := min(len(trimmed), 18)
		chunk, _ := strconv.ParseUint(trimmed[:n], 10, 64)
		d.coef.Mul(&d.coef, &pow10tab[n])
		d.coef.AddUint64(&d.coef, chunk)
		trimmed = trimmed[n:]
	}
	d.exp = int32(exponent)
	return d, nil
}

func parseExponent(text string) (int, error) {
	if !digitsOnly(strings.TrimLeft(text, "+-")) || strings.Trim(text, "+-") == "" {
		return 0, ErrNumberForm
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) || n > 1000 || n < -1000 {
		return 0, ErrNumberRange
	}
	if err != nil {
		return 0, ErrNumberForm
	}
	return n, nil
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// lowest drops trailing zeros of the coefficient.
func (d Decimal) lowest() Decimal {
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

// Neg is -d.
func (d Decimal) Neg() Decimal {
	if !d.IsZero() {
		d.neg = !d.neg
	}
	return d
}

// Scaled is d × 10^scale as a 256-bit integer in two's complement, rounded half to
// even; exact is false when digits were rounded off. ok is false when |d| is 10^15
// or more (see MaxMeasure), so that sums of squares of 2^40 such numbers fit.
func (d Decimal) Scaled(scale int) (n uint256.Int, exact, ok bool) {
	digits := len(d.coef.Dec())
	if !d.IsZero() && digits+int(d.exp) > MaxMeasureDigits {
		return n, false, false
	}
	n, exact = d.coef, true
	shift := int(d.exp) + scale
	switch {
	case d.IsZero():
	case shift >= 0:
		n.Mul(&n, &pow10tab[shift])
	case -shift > digits:
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

// MaxMeasureDigits bounds a measure: |value| < 10^15.
const MaxMeasureDigits = 15

func divHalfEven(n, by *uint256.Int) (q uint256.Int, exact bool) {
	var r, half uint256.Int
	q.DivMod(n, by, &r)
	half.Rsh(by, 1)
	if c := r.Cmp(&half); c > 0 || c == 0 && q[0]&1 == 1 {
		q.AddUint64(&q, 1)
	}
	return q, r.IsZero()
}

// Unscaled is n × 10^-scale, n in two's complement: the way back from Scaled. The
// result may have more than 38 digits (sums do); its String is exact all the same.
func Unscaled(n uint256.Int, scale int) Decimal {
	d := Decimal{neg: n.Sign() < 0, exp: int32(-scale)}
	d.coef.Abs(&n)
	return d.lowest()
}

// String is plain decimal text for everyday magnitudes (22.4, -0.000001), with an
// exponent beyond them (1e+30). Equal numbers have equal text.
func (d Decimal) String() string {
	if d.IsZero() {
		return "0"
	}
	digits := d.coef.Dec()
	point := len(digits) + int(d.exp)
	var b strings.Builder
	if d.neg {
		b.WriteByte('-')
	}
	switch {
	case d.exp > 40 || point < -40:
		b.WriteString(digits)
		fmt.Fprintf(&b, "e%+d", d.exp)
	case d.exp >= 0:
		b.WriteString(digits)
		b.WriteString(strings.Repeat("0", int(d.exp)))
	case point > 0:
		b.WriteString(digits[:point] + "." + digits[point:])
	default:
		b.WriteString("0." + strings.Repeat("0", -point) + digits)
	}
	return b.String()
}

// Float64 is the nearest float64.
func (d Decimal) Float64() float64 {
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}

// Rat is d as an exact fraction, for what is derived on reading.
func (d Decimal) Rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String())
	return r
}

// Cmp is negative, zero or positive as d is below, equal to or above e.
func (d Decimal) Cmp(e Decimal) int {
	if d == e {
		return 0
	}
	return d.Rat().Cmp(e.Rat())
}

// MarshalJSON writes d as a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a JSON number.
func (d *Decimal) UnmarshalJSON(b []byte) (err error) {
	*d, err = ParseDecimal(string(b))
	return err
}
