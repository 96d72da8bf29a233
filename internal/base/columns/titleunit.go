package columns

import (
	"regexp"
	"strings"
)

// bracketed is what a title has in brackets at its end: Temp [°C], Power (kW).
var bracketed = regexp.MustCompile(`[\[(]\s*([^\[\]()]+?)\s*[\])]\s*$`)

// inTitles are the units as titles have them, and equal ones, in lower case.
var inTitles = map[string]string{
	"c": "°C", "degc": "°C", "deg c": "°C", "celsius": "°C", "grad c": "°C",
	"f": "°F", "degf": "°F", "deg f": "°F", "fahrenheit": "°F", "mbar": "hPa", "mb": "hPa", "percent": "%",
}

// TitleUnit returns the unit in brackets at the end of a title; "" if there is none that is known.
func TitleUnit(title string) string {
	m := bracketed.FindStringSubmatch(title)
	if m == nil {
		return ""
	}
	return usualUnit(m[1])
}

// usualUnit returns the usual form of a unit, "" if the unit is not known.
func usualUnit(unit string) string {
	unit = oneForm.Replace(strings.TrimSpace(unit))
	if usual, ok := inTitles[strings.ToLower(unit)]; ok {
		return usual
	}
	return units[unit]
}

// Differ reports whether two units are known, and are not the same: °C and °F, but not hPa and mbar.
func Differ(one, other string) bool {
	one, other = usualUnit(one), usualUnit(other)
	return one != "" && other != "" && one != other
}

// Misses reports whether cells have a unit, and it is not the one of their measure, which may be unknown.
func (c Column) Misses(unit string) bool {
	return c.Unit != "" && unit != "" && (Differ(c.Unit, unit) || usualUnit(unit) == "")
}
