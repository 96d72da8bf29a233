package ordervalue_test

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// decimals are numbers with 1 to 38 digits, of every sign, fraction and magnitude, and numbers
// near each other, which share digits.
func decimals() *rapid.Generator[model.Decimal] {
	return rapid.Custom(func(t *rapid.T) model.Decimal {
		text := rapid.StringMatching(
			`-?(0|[1-9][0-9]{0,3}|[1-9][0-9]{0,37}|[0-9]{1,19}\.[0-9]{1,19})(e-?[0-9]{1,2})?`).Draw(t, "number")
		d, err := model.ParseDecimal(text)
		if err != nil {
			t.Skip(err)
		}
		return d
	})
}

func sortKey(v model.Value, id string) string {
	order := ordervalue.Order("points", 0, id, model.Attrs{{Name: "points", Value: v}})
	return keys.Event(model.EventKey{Series: model.Series{Kind: "SCORE"}, Order: order}).SK
}

func sign(n int) int { return cmp.Compare(n, 0) }

func TestNumbers_TheByteOrderOfSortKeysIsTheOrderOfTheValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals().Draw(t, "a"), decimals().Draw(t, "b")
		got := strings.Compare(sortKey(model.NumberValue(a), ""), sortKey(model.NumberValue(b), ""))
		if want := sign(a.Cmp(b)); got != want {
			t.Fatalf("%s and %s compare as %d, want %d", a, b, got, want)
		}
	})
}

// The bounds of each digit, sign and exponent, in order.
func TestNumbers_EdgesAreInOrder(t *testing.T) {
	t.Parallel()
	last := ""
	for _, text := range strings.Fields(`-9.9999999999999999999999999999999999999e125 -9223372036854775808 -1000 -999 -100.5 -100 -99
		-1.5 -1.49999999999999999999999999999999999 -1.1 -1 -0.99 -0.1 -0.09 -1e-130 0 1e-130 0.09 0.1 0.99 1 1.1 1.5 2 9 9.5 10 99 100 100.5
		999 1000 9223372036854775807 9223372036854775807.5 9.9999999999999999999999999999999999999e125`) {
		key := sortKey(model.NumberValue(model.MustDecimal(text)), "")
		if key <= last {
			t.Errorf("%s has the key %s, not after %s", text, key, last)
		}
		last = key
	}
}

// Equal numbers are one position, however they are written.
func TestNumbers_EqualNumbersHaveOneForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1200", "1200.00", "1.2e3", "0.12e4", "+1200"} {
		if got, want := sortKey(model.NumberValue(model.MustDecimal(text)), ""),
			sortKey(model.NumberValue(model.NewDecimal(1200)), ""); got != want {
			t.Errorf("%s has the key %s, want %s", text, got, want)
		}
	}
}

// names are texts that validation accepts: no control characters.
func names() *rapid.Generator[string] { return rapid.StringMatching(`[ -"#%a-c~é😀]{1,6}`) }

func TestTexts_TheByteOrderOfSortKeysIsTheOrderOfTheTextsAndThenOfTheIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := names().Draw(t, "a"), names().Draw(t, "b")
		x, y := rapid.OneOf(rapid.Just(""), names()).Draw(t, "x"), rapid.OneOf(rapid.Just(""), names()).Draw(t, "y")
		got := strings.Compare(sortKey(model.TextValue(a), x), sortKey(model.TextValue(b), y))
		if want := cmp.Or(strings.Compare(a, b), strings.Compare(x, y)); got != want {
			t.Fatalf("%q %q and %q %q compare as %d, want %d", a, x, b, y, got, want)
		}
	})
}

// The numbers of one value and several ids lie between the bounds of this value and the next.
func TestBound_IsBelowAllPositionsOfItsValueAndAboveAllOfLesserOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := decimals().Draw(t, "a")
		b := decimals().Draw(t, "b")
		id := names().Draw(t, "id")
		at := ordervalue.Order("points", 0, id, model.Attrs{{Name: "points", Value: model.NumberValue(a)}}).ID
		if in := at >= ordervalue.Bound(model.NumberValue(b)); in != (a.Cmp(b) >= 0) {
			t.Fatalf("%s with id %q is at or above the bound of %s: %t", a, id, b, in)
		}
	})
}

func TestShown_IsWhatTheSenderKnows(t *testing.T) {
	t.Parallel()
	points := model.Attrs{{Name: "points", Value: model.NumberValue(model.NewDecimal(-7))}}
	for _, id := range []string{"", "x", "2# ~"} {
		if at, got := ordervalue.Shown(ordervalue.Order("points", 5, id, points)); at != nil || got != id {
			t.Errorf("%q is shown as %v %q", id, at, got)
		}
		if at, got := ordervalue.Shown(ordervalue.Order("", 5, id, points)); at == nil || *at != 5 || got != id {
			t.Errorf("%q at a time is shown as %v %q", id, at, got)
		}
	}
}
