package catalog

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/plaintext"
)

// maxUnit is the most characters of a unit: it stands beside every number.
const maxUnit = 16

// Unit returns the unit of a measure; "" if the kind declares none.
func (k *Kind) Unit(measure string) string {
	for _, m := range k.Spec().Measures {
		if m.Name == measure {
			return m.Unit
		}
	}
	return ""
}

// wrongUnit returns what is wrong with the unit of a measure; "" if nothing is.
func wrongUnit(unit string) string {
	switch {
	case !utf8.ValidString(unit) || plaintext.Has(unit):
		return "contains characters that a reader cannot see, or is not UTF-8: " +
			"write the unit as it is printed, such as °C"
	case utf8.RuneCountInString(unit) > maxUnit:
		return fmt.Sprintf("%s is longer than %d characters: write its symbol, such as kWh",
			quote(unit), maxUnit)
	case unit != strings.TrimSpace(unit):
		return quote(unit) + " begins or ends with a space: remove it"
	}
	return ""
}
