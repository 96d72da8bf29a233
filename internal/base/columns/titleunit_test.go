package columns_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

func TestTitleUnit_IsInBracketsAndKnown(t *testing.T) {
	for title, want := range map[string]string{
		"Temp [°C]": "°C", "Temperature (F)": "°F", "Temp (deg F) ": "°F", "T (Celsius)": "°C",
		"Power (kW)": "kW", "p [mbar]": "hPa", "RH (%)": "%", "Rate (m3)": "m³",
		"Value (avg)": "", "(kW) of the pump": "", "kW": "", "Temp ()": "", "": "",
	} {
		if got := columns.TitleUnit(title); got != want {
			t.Errorf("%q is in %q, want %q", title, got, want)
		}
	}
}

func TestDiffer_OnlyOfUnitsThatAreKnown(t *testing.T) {
	for units, want := range map[[2]string]bool{
		{"°C", "°F"}: true, {"kW", "W"}: true, {"degC", "C"}: false, {"mbar", "hPa"}: false,
		{"", "°C"}: false, {"°C", ""}: false, {"°C", "degrees"}: false, {"m3", "m³"}: false,
	} {
		if got := columns.Differ(units[0], units[1]); got != want {
			t.Errorf("%q: %t", units, got)
		}
	}
	c := columns.Column{Unit: "°C"}
	if c.Misses("") || c.Misses("degC") || !c.Misses("degrees") || !c.Misses("°F") {
		t.Error("cells in °C are of the measures without a unit and in °C, and of no other")
	}
}
