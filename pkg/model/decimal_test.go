package model_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/holiman/uint256"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// numberText generates JSON numbers of up to 38 significant digits within the range of a
// Decimal, in different forms.
func numberText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		digits := rapid.StringMatching(`[1-9][0-9]{0,37}`).Draw(t, "digits")
		exponent := rapid.IntRange(-130, 125-len(digits)+1).Draw(t, "exponent")
		if rapid.Bool().Draw(t, "short") {
			exponent = rapid.IntRange(-20, 5).Draw(t, "small exponent")
		}
		if exponent+len(digits)-1 > 125 {
			exponent = 0
		}
		point := rapid.IntRange(0, len(digits)-1).Draw(t, "digits after the point")
		text := digits
		if point > 0 {
			text = digits[:len(digits)-point] + "." + digits[len(digits)-point:]
		}
		sign := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, "sign")
		e := rapid.SampledFrom([]string{"e", "E"}).Draw(t, "e")
		return sign + text + e + strconv.Itoa(exponent+point)
	})
}

func anyDecimal() *rapid.Generator[model.Decimal] {
	return rapid.Map(numberText(), model.MustDecimal)
}

// measure generates Decimals below 10^15, as measures must be.
func measure() *rapid.Generator[model.Decimal] {
	return anyDecimal().Filter(func(d model.Decimal) bool {
		return new(big.Rat).Abs(d.Rat()).Cmp(big.NewRat(1e15, 1)) < 0
	})
}

func parseRat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// signed returns n, in two's complement, as a big integer.
func signed(n uint256.Int) *big.Int {
	if n.Sign() < 0 {
		return new(big.Int).Neg(new(uint256.Int).Neg(&n).ToBig())
	}
	return n.ToBig()
}

func TestParseDecimal_IsExactAndTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numberText().Draw(t, "text")
		d, err := model.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		if d.Rat().Cmp(parseRat(text)) != 0 {
			t.Fatalf("%s was parsed as %s", text, d)
		}
		if back, err := model.ParseDecimal(d.String()); err != nil || back != d {
			t.Fatalf("%s has the string %s, which is parsed as %s, %v", text, d, back, err)
		}
	})
}

func TestDecimal_EqualNumbersAreEqualInEachForm(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.000e-7", "000"},
		{"1", "1.0", "10e-1", "0.1e1", "+1", "01", "1E0", "1e+0"},
		{"-22.4", "-22.40", "-224e-1", "-0.224E+2"},
		{"1200", "1.2e3", "12e2", "1200.000"},
		{"12345678901234567890123456789012345678", "1.2345678901234567890123456789012345678e37"},
	} {
		want := model.MustDecimal(same[0])
		for _, text := range same {
			got := model.MustDecimal(text)
			if got != want || got.String() != want.String() || got.Cmp(want) != 0 {
				t.Errorf("%s is %s, want %s like %s", text, got, want, same[0])
			}
		}
	}
}

func TestDecimal_StringIsPlainTextForCommonNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"22.40": "22.4", "-0.000001": "-0.000001", "1e3": "1000", "1e40": "1" + strings.Repeat("0", 40),
		"1e50": "1e+50", "-2.5e-100": "-25e-101", "-0": "0", "0.5": "0.5", "1e-41": "0." + strings.Repeat("0", 40) + "1",
		"1e-42": "1e-42",
		"12345678901234567890.123456789012345678": "12345678901234567890.123456789012345678",
		"100000000000000000000000000000000000001": "",
	} {
		d, err := model.ParseDecimal(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s has 39 digits and was accepted", text)
			}
			continue
		}
		if err != nil || d.String() != want {
			t.Errorf("%s has the string %s, %v; want %s", text, d, err, want)
		}
	}
}

func TestParseDecimal_RejectsInvalidText(t *testing.T) {
	for _, text := range []string{
		"", "-", "+", ".", "e", ".e5", "-.", "1e", "1e+", "1e+-5", "1e5-", "--1", "1-", "1 ", " 1", "1,5", "1.2.3", "1e1.5",
		"NaN", "nan", "Infinity", "-Inf", "0x10", "1_000", "null", "true", `"1"`, "٣", "1e٣", "12a", "1e5e5",
	} {
		if d, err := model.ParseDecimal(text); !errors.Is(err, model.ErrNumberForm) {
			t.Errorf("ParseDecimal(%q) = %s, %v; want ErrNumberForm", text, d, err)
		}
	}
}

func TestParseDecimal_RejectsNumbersTheTableCannotStore(t *testing.T) {
	for text, fits := range map[string]bool{
		strings.Repeat("9", 38):                  true,
		strings.Repeat("9", 39):                  false,
		strings.Repeat("9", 38) + "000":          true,
		"0." + strings.Repeat("0", 50) + "1":     true,
		"1e125":                                  true,
		"9." + strings.Repeat("9", 37) + "e125":  true,
		"1e126":                                  false,
		"10e125":                                 false,
		"1e-130":                                 true,
		"0.1e-129":                               true,
		"1e-131":                                 false,
		"1.5e-130":                               false,
		"1e1000":                                 false,
		"1e-1000":                                false,
		"1e99999999999999999999":                 false,
		"-1e126":                                 false,
		"1" + strings.Repeat("0", 500):           false,
		"1" + strings.Repeat("0", 500) + "e-500": true,
		"0." + strings.Repeat("0", 500) + "5" + "e501": true,
	} {
		d, err := model.ParseDecimal(text)
		if fits && err != nil || !fits && !errors.Is(err, model.ErrNumberRange) {
			t.Errorf("ParseDecimal(%.50s) = %s, %v; want it accepted: %v", text, d, err, fits)
		}
	}
}

func TestDecimalOf_AcceptsEveryInt64(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 10, -1000, math.MaxInt64, math.MinInt64} {
		want := strconv.FormatInt(n, 10)
		if got := model.NewDecimal(n); got.String() != want || got != model.MustDecimal(want) {
			t.Errorf("NewDecimal(%s) = %s", want, got)
		}
	}
}

func TestDecimal_CmpIsTheOrderOfExactFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, e := anyDecimal().Draw(t, "d"), anyDecimal().Draw(t, "e")
		if rapid.Bool().Draw(t, "similar") { // numbers of equal length are the hard case
			e = similar(d)
		}
		if got, want := d.Cmp(e), d.Rat().Cmp(e.Rat()); got != want {
			t.Fatalf("%s.Cmp(%s) = %d, want %d", d, e, got, want)
		}
		if d.Cmp(d.Neg()) != d.Rat().Sign() || d.Neg().Neg() != d {
			t.Fatalf("%s.Cmp(%s) = %d for its negative", d, d.Neg(), d.Cmp(d.Neg()))
		}
		if got := d.Cmp(model.Decimal{}); got != d.Rat().Sign() {
			t.Fatalf("%s.Cmp(0) = %d", d, got)
		}
	})
}

// Sums of sums are exact, also with more digits than a number of the table has. There is none only where the
// greatest of the three numbers has no 256 bits in units of the last digit of both.
func TestDecimal_PlusIsTheSumOfExactFractions(t *testing.T) {
	limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 256))
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyDecimal().Draw(t, "a"), anyDecimal().Draw(t, "b")
		if rapid.Bool().Draw(t, "alike") {
			b = similar(a)
		}
		want := new(big.Rat).Add(a.Rat(), b.Rat())
		fits := a.IsZero() || b.IsZero()
		for exponent := 125; !fits && exponent >= -130; exponent-- {
			unit := parseRat(fmt.Sprint("1e", exponent))
			units := func(of *big.Rat) *big.Rat { return new(big.Rat).Quo(of, unit) }
			if units(a.Rat()).IsInt() && units(b.Rat()).IsInt() {
				fits = true
				for _, one := range []*big.Rat{a.Rat(), b.Rat(), want} {
					fits = fits && new(big.Rat).Abs(units(one)).Cmp(limit) < 0
				}
				break
			}
		}
		if sum, ok := a.Plus(b); ok != fits || ok && sum.Rat().Cmp(want) != 0 {
			t.Fatalf("%s + %s = %s, %t; want %s, %t", a, b, sum, ok, want.RatString(), fits)
		}
	})
}

// similar returns d with its first 1 replaced by 2, or d if that is not a number.
func similar(d model.Decimal) model.Decimal {
	mantissa, exponent, _ := strings.Cut(d.String(), "e")
	near, err := model.ParseDecimal(strings.Replace(mantissa, "1", "2", 1) + "e" + cmp.Or(exponent, "0"))
	if err != nil {
		return d
	}
	return near
}

func TestDecimal_ComparesSumsOf256Bits(t *testing.T) {
	largest := uint256.MustFromHex("0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff")
	sum := model.Unscaled(*largest, 9)
	if next := model.MustDecimal("1e68"); sum.Cmp(next) != -1 || next.Cmp(sum) != 1 {
		t.Errorf("%s is not below %s", sum, next)
	}
	if near := model.MustDecimal("9e67"); sum.Cmp(near) != -1 || near.Cmp(sum) != 1 {
		t.Errorf("%s is not below %s", sum, near)
	}
	if sum.Cmp(sum) != 0 || sum.Neg().Cmp(sum) != -1 {
		t.Errorf("%s does not equal itself", sum)
	}
}

// halfEven returns d × 10^scale with big integers: the oracle of Scaled.
func halfEven(d model.Decimal, scale int) (n *big.Int, exact bool) {
	r := new(big.Rat).Mul(d.Rat(),
		new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	floor, remainder := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	switch c := new(big.Int).Lsh(remainder, 1).Cmp(r.Denom()); {
	case c > 0, c == 0 && floor.Bit(0) == 1:
		floor.Add(floor, big.NewInt(1))
	}
	return floor, remainder.Sign() == 0
}

func TestScaled_RoundsLikeBigIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := measure().Draw(t, "d")
		if rapid.Bool().Draw(t, "tie") {
			d = model.MustDecimal(rapid.StringMatching(`-?[0-9]{1,5}\.[0-9]{0,8}5`).Draw(t, "near a tie"))
		}
		scale := rapid.IntRange(0, 30).Draw(t, "scale")
		n, exact, ok := d.Scaled(scale)
		want, wantExact := halfEven(d, scale)
		if !ok || exact != wantExact || signed(n).Cmp(want) != 0 {
			t.Fatalf("%s.Scaled(%d) = %s, exact %v, ok %v; want %s, exact %v", d, scale, signed(n), exact, ok, want,
				wantExact)
		}
	})
}

func TestScaled64_EqualsScaledIfExactAndSmall(t *testing.T) {
	bound := big.NewInt(1e18)
	rapid.Check(t, func(t *rapid.T) {
		d := anyDecimal().Draw(t, "d")
		if rapid.Bool().Draw(t, "short") {
			d = model.MustDecimal(rapid.StringMatching(`-?[0-9]{1,16}(\.[0-9]{1,4})?`).Draw(t, "small"))
		}
		scale := rapid.IntRange(0, 15).Draw(t, "scale")
		wide, exact, ok := d.Scaled(scale)
		want := signed(wide)
		n, small := d.Scaled64(scale)
		if small && (!ok || !exact || want.Int64() != n || new(big.Int).Abs(want).Cmp(bound) >= 0) {
			t.Fatalf("%s.Scaled64(%d) = %d, Scaled returns %s, exact %v, ok %v", d, scale, n, want, exact, ok)
		}
	})
}

func TestScaled64_AcceptsCommonMeasures(t *testing.T) {
	for text, want := range map[string]int64{"22.4": 22_400_000_000, "-7": -7_000_000_000, "0": 0,
		"1013.25": 1_013_250_000_000} {
		d := model.MustDecimal(text)
		if n, ok := d.Scaled64(9); !ok || n != want {
			t.Errorf("%s at scale 9: %d, %v; want %d", text, n, ok, want)
		}
	}
}

func TestScaled_TiesRoundToEven(t *testing.T) {
	for text, want := range map[string]int64{
		"0.5": 0, "1.5": 2, "2.5": 2, "-0.5": 0, "-1.5": -2, "-2.5": -2, "0.51": 1, "0.49": 0, "-0.50000000000000000000001": -1,
		"0.05": 0, "0.5000000000000000000000000000000000001": 1, "7": 7, "-7": -7, "0": 0, "1e-130": 0,
	} {
		n, _, ok := model.MustDecimal(text).Scaled(0)
		if !ok || signed(n).Int64() != want {
			t.Errorf("%s rounded is %s, want %d", text, signed(n), want)
		}
	}
}

func TestScaled_RejectsMagnitudesAboveTheLimitOfMeasures(t *testing.T) {
	for text, ok := range map[string]bool{
		"999999999999999":            true,
		"-999999999999999.999999999": true,
		"1e14":                       true,
		"1e15":                       false,
		"-1e15":                      false,
		"1000000000000000.000000001": false,
		"1e125":                      false,
		"1e-130":                     true,
		"0":                          true,
	} {
		if _, _, got := model.MustDecimal(text).Scaled(15); got != ok {
			t.Errorf("%s is accepted as a measure: %v, want %v", text, got, ok)
		}
	}
}

// The limit is the same at each scale, whether the scaled limit fits 64 bits or not.
func TestScaled_LimitOfMeasuresIsTheSameAtEachScale(t *testing.T) {
	for scale := range 16 {
		for text, want := range map[string]bool{
			"999999999999999": true, "-999999999999999": true, "1e15": false, "-1e15": false, "1844674407370955.1616": false, "0": true,
		} {
			n, _, ok := model.MustDecimal(text).Scaled(scale)
			if back := model.Unscaled(n, scale); ok != want || want && back != model.MustDecimal(text) {
				t.Errorf("%s at scale %d: %v, ok %v; want %v", text, scale, back, ok, want)
			}
		}
	}
}

func TestUnscaled_IsTheInverseOfScaled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, scale := measure().Draw(t, "d"), rapid.IntRange(0, 15).Draw(t, "scale")
		n, exact, _ := d.Scaled(scale)
		back := model.Unscaled(n, scale)
		if exact && back != d {
			t.Fatalf("%s came back as %s", d, back)
		}
		if again, exactly, ok := back.Scaled(scale); ok && (!exactly || again != n) {
			t.Fatalf("%s rounded twice differs: %s", d, back)
		}
	})
}

func TestUnscaled_StringOf256BitSumsIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n uint256.Int
		n.SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "bits"))
		scale := rapid.IntRange(0, 30).Draw(t, "scale")
		want := new(big.Rat).SetFrac(signed(n), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		if got := model.Unscaled(n, scale); parseRat(got.String()).Cmp(want) != 0 {
			t.Fatalf("%s at scale %d has the string %s", signed(n), scale, got)
		}
	})
}

func TestDecimal_CmpIsCorrectAroundEachPowerOfTen(t *testing.T) {
	one, power := uint256.NewInt(1), uint256.NewInt(1)
	for exponent := range 77 {
		at := model.Unscaled(*power, 0)
		below := model.Unscaled(*new(uint256.Int).Sub(power, one), 0)
		above := model.Unscaled(*new(uint256.Int).Add(power, one), 0)
		if below.Cmp(at) != -1 || at.Cmp(at) != 0 || above.Cmp(at) != 1 {
			t.Errorf("around 1e%d: below %d, at %d, above %d", exponent, below.Cmp(at), at.Cmp(at), above.Cmp(at))
		}
		power.Mul(power, uint256.NewInt(10))
	}
}

func TestDecimal_Float64IsTheNearest(t *testing.T) {
	for text, want := range map[string]float64{
		"22.4": 22.4, "-0.1": -0.1, "1e125": 1e125, "9007199254740993": 9007199254740992, "0": 0,
	} {
		if got := model.MustDecimal(text).Float64(); got != want {
			t.Errorf("%s as float64 is %v, want %v", text, got, want)
		}
	}
}

func TestDecimal_IsANumberInJSON(t *testing.T) {
	var doc struct{ A, B *model.Decimal }
	if err := json.Unmarshal([]byte(`{"A":-22.40,"B":null}`), &doc); err != nil || doc.A.String() != "-22.4" ||
		doc.B != nil {
		t.Fatalf("unmarshalled %v, %v, %v", doc.A, doc.B, err)
	}
	if out, err := json.Marshal(doc); err != nil || string(out) != `{"A":-22.4,"B":null}` {
		t.Errorf("marshalled %s, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"12"}`), &doc); !errors.Is(err, model.ErrNumberForm) {
		t.Errorf("unmarshalled a string: %v, want ErrNumberForm", err)
	}
}

func TestDecimal_CommonOperationsDoNotAllocate(t *testing.T) {
	d, buf := model.MustDecimal("-1234567.890123456789012345"), make([]byte, 0, 128)
	for name, f := range map[string]struct {
		limit float64
		run   func()
	}{
		"Scaled": {0, func() { d.Scaled(9) }},
		"Cmp":    {0, func() { d.Cmp(d.Neg()) }},
		"Append": {0, func() { buf = d.Append(buf[:0]) }},
		"String": {1, func() { _ = d.String() }},
	} {
		if got := testing.AllocsPerRun(100, f.run); got > f.limit {
			t.Errorf("%s allocates %v times, want at most %v", name, got, f.limit)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	testenv.AddCorpus(f)
	for _, seed := range []string{"22.4", "-0.000001", "1e125", "1e-130",
		"99999999999999999999999999999999999999", "0e999", "1e+-1", "NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := model.ParseDecimal(text)
		if err != nil {
			return
		}
		if d.Rat().Cmp(parseRat(text)) != 0 {
			t.Fatalf("%q was parsed as %s", text, d)
		}
		if back, err := model.ParseDecimal(d.String()); err != nil || back != d {
			t.Fatalf("%q has the string %s, which is parsed as %s, %v", text, d, back, err)
		}
	})
}

func BenchmarkScaled(b *testing.B) {
	d := model.MustDecimal("22.4567")
	for b.Loop() {
		d.Scaled(9)
	}
}

func BenchmarkDecimalString(b *testing.B) {
	d := model.MustDecimal("22.4567")
	for b.Loop() {
		_ = d.String()
	}
}

// Short numbers are parsed by separate code. A plus sign selects the general code, which must
// return the same.
func TestParseDecimal_ShortNumbersAreParsedLikeAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`0{0,2}[0-9]{1,20}(\.[0-9]{0,20})?`).Draw(t, "text")
		want, wantErr := model.ParseDecimal("+" + text)
		got, err := model.ParseDecimal(text)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%s is %s, %v; with a plus sign %s, %v", text, got, err, want, wantErr)
		}
		if negative, err := model.ParseDecimal("-" + text); (err == nil) != (wantErr == nil) ||
			negative != want.Neg() {
			t.Fatalf("-%s is %s, %v; want %s", text, negative, err, want.Neg())
		}
	})
}

func TestDecimal_EqualNumbersAndNoOthersHaveEqualBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, e := anyDecimal().Draw(t, "d"), anyDecimal().Draw(t, "e")
		if rapid.Bool().Draw(t, "near") {
			e = d.Neg()
		}
		one, other := string(d.AppendBinary(nil)), string(e.AppendBinary(nil))
		if (one == other) != (d == e) ||
			d != e && (strings.HasPrefix(one, other) || strings.HasPrefix(other, one)) {
			t.Fatalf("%s is %x, %s is %x", d, one, e, other)
		}
	})
}
