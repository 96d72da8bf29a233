package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/holiman/uint256"
)

// Errors of ParseDecimal.
var (
	ErrNumberForm  = errors.New("not a decimal number")
	ErrNumberRange = errors.New(
		"number out of range: at most 38 significant digits, none of them beyond 1e-130, magnitude below 1e126")
)

// ParseDecimal parses a JSON number; a plus sign, leading zeros and a point without digits on
// one side (.5 and 5.) are allowed too. The error wraps ErrNumberForm or ErrNumberRange.
func ParseDecimal(text string) (Decimal, error) {
	var d Decimal
	if ScanDecimal(text, 0, &d) == len(text) {
		return d, nil
	}
	d, err := parseDecimal(text)
	if err != nil {
		return Decimal{}, fmt.Errorf("%q: %w", clip(text), err)
	}
	return d, nil
}

// MustDecimal is ParseDecimal for literals in tests and examples. It panics if text is not a number.
func MustDecimal(text string) Decimal {
	d, err := ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

// ScanDecimal parses a short number at text[i:] into to: an optional minus and up to 18 digits, with an
// optional point between them. It returns the index after the number, or -1 if there is none or it is longer;
// to is then undefined. The caller must check what follows the number. The value equals ParseDecimal's.
func ScanDecimal[T string | []byte](text T, i int, to *Decimal) (end int) {
	neg, exp := false, int32(0)
	if i < len(text) && text[i] == '-' {
		neg, i = true, i+1
	}
	n := uint64(0)
	from := i
	point := -1
	for ; i < len(text) && n < maxShort/10; i++ {
		if c := text[i] - '0'; c <= 9 {
			n = n*10 + uint64(c)
		} else if text[i] == '.' && point < 0 && i > from {
			point = i
		} else {
			break
		}
	}
	if i == from || point == i-1 || i < len(text) && text[i]-'0' <= 9 {
		return -1
	}
	if n == 0 {
		*to = Decimal{}
		return i
	}
	if point >= 0 {
		exp = int32(point + 1 - i)
	}
	if exp < minExp {
		return -1
	}
	for n%10 == 0 {
		n, exp = n/10, exp+1
	}
	to.coef = uint256.Int{n}
	to.exp = exp
	to.neg = neg
	return i
}

// maxShort is the smallest number with more than chunkDigits digits.
const maxShort = 1_000_000_000_000_000_000

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
	integer, frac, _ := strings.Cut(mantissa, ".")
	if integer+frac == "" || !digitsOnly(integer) || !digitsOnly(frac) {
		return Decimal{}, ErrNumberForm
	}
	digits := strings.TrimLeft(integer+frac, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return Decimal{}, nil
	}
	exponent += len(digits) - len(trimmed) - len(frac)
	if len(trimmed) > maxDigits || exponent < minExp || exponent+len(trimmed)-1 > maxExp {
		return Decimal{}, ErrNumberRange
	}
	d.setDigits(trimmed)
	d.exp = int32(exponent)
	return d, nil
}

// chunkDigits is a number of decimal digits that fits a uint64.
const chunkDigits = 18

func (d *Decimal) setDigits(digits string) {
	for len(digits) > 0 {
		n := min(len(digits), chunkDigits)
		chunk, _ := strconv.ParseUint(digits[:n], 10, 64)
		d.coef.Mul(&d.coef, &pow10tab[n])
		d.coef.AddUint64(&d.coef, chunk)
		digits = digits[n:]
	}
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

// String returns plain decimal text (22.4, -0.000001), and text with an exponent for very large and very
// small numbers (1e+50). Equal numbers have equal text. ParseDecimal is the inverse.
func (d Decimal) String() string {
	var buf [128]byte
	return string(d.Append(buf[:0]))
}

// maxPlainZeros is the number of zeros that are written before an exponent is used.
const maxPlainZeros = 40

// Append appends the text of String to dst.
func (d Decimal) Append(dst []byte) []byte {
	if d.IsZero() {
		return append(dst, '0')
	}
	if d.neg {
		dst = append(dst, '-')
	}
	var buf [maxCoefDigits]byte
	digits := appendDigits(buf[:0], d.coef)
	point := len(digits) + int(d.exp)
	switch {
	case d.exp > maxPlainZeros || point < -maxPlainZeros:
		dst = append(append(dst, digits...), 'e')
		if d.exp > 0 {
			dst = append(dst, '+')
		}
		return strconv.AppendInt(dst, int64(d.exp), 10)
	case d.exp >= 0:
		return appendZeros(append(dst, digits...), int(d.exp))
	case point > 0:
		dst = append(append(dst, digits[:point]...), '.')
		return append(dst, digits[point:]...)
	default:
		return append(appendZeros(append(dst, "0."...), -point), digits...)
	}
}

// AppendBinary appends a binary form of d for digests, which is faster than text. Equal
// numbers, and no others, have equal bytes, and no form is a prefix of another.
func (d Decimal) AppendBinary(dst []byte) []byte {
	dst = binary.AppendVarint(dst, int64(d.exp))
	if !d.coef.IsUint64() {
		bytes := d.coef.Bytes32()
		return append(append(dst, byte(2+boolBit(d.neg))), bytes[:]...)
	}
	return binary.AppendUvarint(append(dst, boolBit(d.neg)), d.coef.Uint64())
}

func boolBit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}

// appendDigits appends n in decimal.
func appendDigits(dst []byte, n uint256.Int) []byte {
	if n.IsUint64() {
		return strconv.AppendUint(dst, n.Uint64(), 10)
	}
	var high, low uint256.Int
	high.DivMod(&n, &pow10tab[chunkDigits], &low)
	dst = appendDigits(dst, high)
	return appendChunk(dst, low.Uint64())
}

// appendChunk appends exactly chunkDigits digits.
func appendChunk(dst []byte, chunk uint64) []byte {
	var digits [chunkDigits]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + chunk%10)
		chunk /= 10
	}
	return append(dst, digits[:]...)
}

// MarshalJSON returns d as a JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON parses a JSON number.
func (d *Decimal) UnmarshalJSON(b []byte) (err error) {
	*d, err = ParseDecimal(string(b))
	return err
}
