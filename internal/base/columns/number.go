package columns

import (
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Mark is the character before the decimals of a number.
type Mark rune

// The marks of decimals. The other of the two may separate groups of three digits.
const (
	Point Mark = '.'
	Comma Mark = ','
)

// String returns the name of a mark as used in a sentence.
func (m Mark) String() string { return map[Mark]string{Point: "point", Comma: "comma"}[m] }

// plain replaces characters that are written in place of ASCII ones: the minus of typesetting, and
// spaces and apostrophes between groups of digits.
var plain = strings.NewReplacer(
	"\u2212", "-", "\uFE63", "-", "\uFF0D", "-",
	"\u00A0", " ", "\u2009", " ", "\u202F", " ", "'", " ", "\u2019", " ",
)

// forms are the numbers with each mark: groups of three digits, or digits alone, and decimals. A group does
// not begin with a zero: 0.123 is no thousand. In India the groups above a thousand have two digits.
var forms = map[Mark]*regexp.Regexp{
	Point: number(`[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}`, `\.`),
	Comma: number(`[1-9]\d{0,2}(?:\.\d{3})+`, `,`),
}

// number returns the pattern of numbers with a form of groups, and a mark of decimals.
func number(grouped, mark string) *regexp.Regexp {
	const spaced, exponent = `\d{1,3}(?: \d{3})+`, `([eE][+-]?\d+)?`
	whole := `(` + grouped + `|` + spaced + `|\d*)`
	return regexp.MustCompile(`^([+-]?)` + whole + `(?:` + mark + `(\d*))?` + exponent + `$`)
}

// groups removes what separates groups of digits.
var groups = strings.NewReplacer(",", "", ".", "", " ", "")

// ParseNumber returns the plain text of a number that is written with a mark. ok is false if the text is not
// such a number, or has more digits than the table stores.
func ParseNumber(text string, mark Mark) (number string, ok bool) {
	m := forms[mark].FindStringSubmatch(plain.Replace(strings.TrimSpace(text)))
	if m == nil {
		return "", false
	}
	d, err := model.ParseDecimal(m[1] + groups.Replace(m[2]) + "." + m[3] + m[4])
	return d.String(), err == nil
}

// Amount returns the plain text of a number with either mark, if only one number can be meant: 1,322.22 and
// 22,50, but not 1,322.
func Amount(text string) (number string, ok bool) {
	point, isPoint := ParseNumber(text, Point)
	comma, isComma := ParseNumber(text, Comma)
	switch {
	case isPoint && isComma:
		return point, point == comma
	case isPoint:
		return point, true
	}
	return comma, isComma
}

// missing are the texts that programs write for a value that is not there.
var missing = map[string]bool{
	"": true, "null": true, "none": true, "nil": true, "na": true, "n/a": true, "#n/a": true, "#na": true,
	"<na>": true, "nan": true, "-nan": true, `\n`: true, ":": true,
	"unavailable": true, "unknown": true, "nodata": true, "no data": true, "n.a.": true, "missing": true,
	"n/e": true, "n/d": true, "k.a.": true, "#nv": true, "undef": true, "undefined": true,
	"n.d.": true, "(null)": true, "<null>": true, "--.-": true,
}

// blank are marks for no value: dashes, SAS's point, the World Bank's two, and what fills a field's width.
var blank = regexp.MustCompile(`^(?:[-–—]+|\?+|\*+|\.+|_+)$`)

// sheetError are the errors of formulas, which spreadsheets write in many languages: #DIV/0!, #WERT!
var sheetError = regexp.MustCompile(`^#[\p{L}/0¡]+[!?]$`)

// Missing reports whether a cell of a column of numbers says that there is no value.
func Missing(text string) bool {
	text = strings.TrimSpace(text)
	return missing[strings.ToLower(text)] || blank.MatchString(text) || sheetError.MatchString(text)
}

// states are the texts that process historians and loggers write in place of a value.
var states = map[string]bool{
	"bad": true, "bad input": true, "i/o timeout": true, "no good data": true, "pt created": true,
	"scan off": true, "comm fail": true, "calc failed": true, "configure": true, "intf shut": true,
	"over range": true, "under range": true, "overrange": true, "underrange": true,
}

// noNumber are the values of floating-point numbers that are none, as C, Windows and loggers write them,
// errors of historians such as [-11059] No Good Data For Calculation, and ##### of a narrow spreadsheet.
var noNumber = regexp.MustCompile(
	`(?i)^(?:##+|[-+]?(?:inf(?:inity)?|∞|nan ?\([a-z]+\)|1[.,]#(?:inf|ind|qnan|snan)\d*)|\[-\d+\] .*)$`)

// beyond are values beyond the range of a method, as laboratories write them: <0.05, or >= 200 mg/l.
var beyond = regexp.MustCompile(`^[<>≤≥]=? ?\d[\d.,]*(?: ?\S+)?$`)

// isState reports whether a cell says why there is no value. It does not make a column of numbers one of
// text, and is stored as a text among them.
func isState(text string) bool {
	text = strings.TrimSpace(text)
	return states[strings.ToLower(text)] || noNumber.MatchString(text) || beyond.MatchString(text)
}
