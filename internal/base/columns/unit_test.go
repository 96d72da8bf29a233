package columns_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// The type that a user reads, and each cell as its JSON value.
func TestDecide_CellsWithOneUnitAreNumbers(t *testing.T) {
	const mixed = " are not of one unit"
	for cells, want := range map[string]string{
		"21.5 °C|22 °C":                "numbers in °C: 21.5|22",
		"21.5°C|-3 ℃|−0.5 ° C|N/A|":    "numbers in °C: 21.5|-3|-0.5|null|null",
		"45 %|100%":                    "numbers in %: 45|100",
		"12,5%|3,25 %":                 "numbers in % with a decimal comma: 12.5|3.25",
		"$9.95|$1,234.50|-$5|$ 3":      "numbers in $: 9.95|1234.5|-5|3",
		"€ 1.234,50|€ 2,00":            "numbers in € with a decimal comma: 1234.5|2",
		"1.234,50 EUR|EUR 2,00":        "numbers in EUR with a decimal comma: 1234.5|2",
		"5 m|12.5 m":                   "numbers in m: 5|12.5",
		"5.5 km|1,200 km":              "numbers in km: 5.5|1200",
		"3 m3|4 m³":                    "numbers in m³: 3|4",
		"12 μg/m3|7.5 µg/m³":           "numbers in µg/m³: 12|7.5",
		"230V|5A":                      "text: \"230V\"|\"5A\"",
		"12A|14A":                      "text: \"12A\"|\"14A\"",
		"5 apples|7 apples":            "text: \"5 apples\"|\"7 apples\"",
		"10 Downing Street|1 Main St.": "text: \"10 Downing Street\"|\"1 Main St.\"",
		"5 m|north":                    "text: \"5 m\"|\"north\"",
		"1 m|2 m|3 m|4 m|5 m|6 m|7 m|8 m|9 m|10 m|north": `numbers in m: 1|2|3|4|5|6|7|8|9|10|"north"`,
		"1.5%|undefined": "numbers in %: 1.5|null",
		"007 m|012 m":    "text: \"007 m\"|\"012 m\"",
		"%|$":            "text: \"%\"|\"$\"",
		"21 °C|70 °F":    `text: "21 °C" in line 2 and "70 °F" in line 3` + mixed + `: "21 °C"|"70 °F"`,
		"5 kW|5 kW|400":  `text: "5 kW" in line 2 and "400" in line 4` + mixed + `: "5 kW"|"5 kW"|"400"`,
		"$5|5 €":         `text: "$5" in line 2 and "5 €" in line 3` + mixed + `: "$5"|"5 €"`,
	} {
		texts := strings.Split(cells, "|")
		c, err := columns.Decide(sample(texts...), columns.Hint{})
		if err != nil {
			t.Errorf("%s: %v", cells, err)
			continue
		}
		var values []string
		for _, text := range texts {
			value, _ := c.JSON(text)
			values = append(values, string(value))
		}
		if got := c.String() + ": " + strings.Join(values, "|"); got != want {
			t.Errorf("%s is\n%s, want\n%s", cells, got, want)
		}
	}
}

// Cells behind the sample are read by the unit of the sample, and are otherwise text, which is counted.
func TestColumn_AnotherUnitThanItsOwnIsText(t *testing.T) {
	c, err := columns.Decide(sample("21.5 °C", "22 °C"), columns.Hint{Measure: true})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"70 °F": `"70 °F"`, "70": `"70"`, "high": `"high"`} {
		if got, ok := c.JSON(text); ok || string(got) != want {
			t.Errorf("%s is %s, %t", text, got, ok)
		}
	}
}

func TestUnit_IsKeptFromDigitsThatAreNames(t *testing.T) {
	for _, hint := range []columns.Hint{{Title: "version"}, {Title: "serial"}} {
		if c, err := columns.Decide(sample("5 m", "7 m"), hint); err != nil || c.Type != columns.Text {
			t.Errorf("%s: %v, %v", hint.Title, c, err)
		}
	}
	if unit := columns.Unit(sample("5 %", "")); unit != "%" {
		t.Errorf("unit %q", unit)
	}
}
