package columns

import (
	"fmt"
	"strings"
)

// units are the symbols that a cell may have behind its number, and their usual form. No other text behind a
// number is a unit: 5 apples is text.
var units = aliases(
	"% ‰ ppm ppb °C=℃ °F=℉ °",
	"V mV kV A mA W mW kW MW Wh kWh MWh VA kVA var kvar Ω kΩ Hz kHz MHz GHz",
	"Pa hPa kPa MPa bar mbar psi N kN Nm J kJ MJ",
	"m mm cm km µm m²=m2 m³=m3 l=L ml=mL l/s l/min l/h m³/h=m3/h",
	"g mg µg kg µg/m³=µg/m3 mg/m³=mg/m3 kg/m³=kg/m3",
	"s ms µs min h m/s km/h mph rpm m/s² lx lm dB dBm W/m²=W/m2 µS/cm mS/cm",
	"B kB MB GB TB KiB MiB GiB TiB bit/s kbit/s Mbit/s Gbit/s",
	currencies,
)

// currencies may be in front of the number, too.
const currencies = "$ € £ ¥ EUR USD GBP CHF JPY SEK NOK DKK PLN CZK CAD AUD INR CNY"

// aliases returns the usual form of each symbol of lists such as "m³=m3 l=L".
func aliases(lists ...string) map[string]string {
	all := map[string]string{}
	for _, list := range lists {
		for of := range strings.FieldsSeq(list) {
			forms := strings.Split(of, "=")
			for _, form := range forms {
				all[form] = forms[0]
			}
		}
	}
	return all
}

// oneForm replaces characters that look like others: two of the micro sign, and two of the degree sign.
var oneForm = strings.NewReplacer("\u03BC", "µ", "\u00BA", "°", "° C", "°C", "° F", "°F")

// cutUnit returns the number and the unit of a cell; ok is false if it has no unit, or no number. One letter
// that is not behind a space is no unit: 12A is the number of a house.
func cutUnit(text string) (number, unit string, ok bool) {
	text = oneForm.Replace(strings.TrimSpace(text))
	for symbol := range units {
		before, found := strings.CutSuffix(text, symbol)
		if trimmed := strings.TrimSpace(before); found && len(symbol) > len(unit) && isNumber(trimmed) &&
			(trimmed != before || len(symbol) > 1 || symbol == "%" || symbol == "$") {
			number, unit = trimmed, symbol
		}
	}
	for symbol := range strings.FieldsSeq(currencies) {
		sign := text[:len(text)-len(strings.TrimLeft(text, "+-\u2212"))]
		rest, found := strings.CutPrefix(text[len(sign):], symbol)
		if amount := sign + strings.TrimSpace(rest); found && isNumber(amount) {
			number, unit = amount, symbol
		}
	}
	return number, units[unit], unit != ""
}

func isNumber(text string) bool {
	_, point := ParseNumber(text, Point)
	_, comma := ParseNumber(text, Comma)
	return text != "" && (point || comma)
}

// Unit returns the unit that all cells of a column of numbers have; "" if they have none, or differ.
func Unit(cells []Cell) string {
	unit, _, _ := commonUnit(withSigns(cells, Hint{Measure: true}))
	return unit
}

// commonUnit returns the unit that all cells have, and the cells without it. Of cells with several units, or
// with and without one, it returns which differ. A few of the cells may be texts, as in a column of numbers.
func commonUnit(cells []Cell) (unit string, numbers []Cell, mixed string) {
	var first, other *Cell
	texts := 0
	for _, c := range cells {
		number, of, ok := cutUnit(c.Text)
		switch {
		case Missing(c.Text) || isState(c.Text):
			continue
		case !ok && !isNumber(c.Text):
			texts++
			numbers = append(numbers, c)
			continue
		case first == nil:
			first, unit = &c, of
		case of != unit && other == nil:
			other = &c
		}
		numbers = append(numbers, Cell{Line: c.Line, Text: number})
	}
	switch {
	case texts*mostStray > len(numbers):
		return "", cells, ""
	case other != nil:
		return "", cells, fmt.Sprintf("%q in line %d and %q in line %d are not of one unit", first.Text, first.Line,
			other.Text, other.Line)
	case unit == "":
		return "", cells, ""
	}
	return unit, numbers, ""
}
