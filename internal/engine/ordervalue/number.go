package ordervalue

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// The first byte of a number says its sign.
const (
	negative = "0"
	zero     = "1"
	positive = "2"
)

// exponentBias makes exponents positive: stored numbers have exponents from -130 to 126.
const exponentBias = 500

// end follows the digits of a negative number. It is above all digits, because of two
// negative numbers that begin with the same digits the one with more digits is smaller.
const end = "~"

// number returns the form of d: its sign, the exponent of 0.ddd × 10^exponent in three
// digits, and its significant digits. In a negative number all digits are complements to 9.
func number(d model.Decimal) string {
	if d.IsZero() {
		return zero
	}
	digits, exponent := significant(d.String())
	form := fmt.Sprintf("%03d", exponent+exponentBias) + digits
	if strings.HasPrefix(d.String(), "-") {
		return negative + complement(form) + end
	}
	return positive + form
}

// significant returns the significant digits of a number's text, and the exponent with which
// 0.ddd × 10^exponent is its magnitude.
func significant(text string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.TrimPrefix(text, "-"), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, _ = strconv.Atoi(power) // "" is 0
	all := whole + fraction
	digits = strings.TrimLeft(all, "0")
	exponent += len(whole) - (len(all) - len(digits))
	return strings.TrimRight(digits, "0"), exponent
}

func complement(digits string) string {
	out := []byte(digits)
	for i := range out {
		out[i] = '0' + '9' - out[i]
	}
	return string(out)
}
