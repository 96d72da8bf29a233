package columns_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

func sample(texts ...string) (cells []columns.Cell) {
	for i, text := range texts {
		cells = append(cells, columns.Cell{Line: 2 + i, Text: text})
	}
	return cells
}

// Each column is read as its values show, and each cell as the JSON value that want has.
func TestDecide_TheCellsOfAColumnHaveOneType(t *testing.T) {
	for _, tc := range []struct {
		cells, want string
		hint        columns.Hint
	}{
		{cells: "21,5|43,0", want: "21.5|43"},
		{cells: "1,015.2|1,234", want: "1015.2|1234"},
		{cells: "1.015,2|1.234|999,5", want: "1015.2|1234|999.5"},
		{cells: "1 015,2|1\u202f234,5|1'000", want: "1015.2|1234.5|1000"},
		{cells: "−5.2|.5|5.|+3|1e3", want: "-5.2|0.5|5|3|1000"},
		{cells: "001000|010000", want: `"001000"|"010000"`},
		{cells: "007|12", want: `"007"|"12"`},
		{cells: "+0056,5|-0028,5", want: `"+0056,5"|"-0028,5"`}, // a value and its quality
		{cells: "21,5|#WERT!|#DIV/0!|#N/A|#¡VALOR!|n/e", want: "21.5|null|null|null|null|null"},
		{cells: "21,5|INF|-inf|+Infinity", want: `21.5|"INF"|"-inf"|"+Infinity"`},
		{cells: "21,5|1,#QNAN|-1.#IND00|nan(ind)", want: `21.5|"1,#QNAN"|"-1.#IND00"|"nan(ind)"`},
		{cells: "21.5|I/O Timeout|Bad|[-11059] No Data", want: `21.5|"I/O Timeout"|"Bad"|"[-11059] No Data"`},
		{cells: "5 °C|Bad|(null)|--.-", want: `5|"Bad"|null|null`},
		{cells: "2.50|(1.50)|1.50-|(1,000.25)|(1|5-3", want: `2.5|-1.5|-1.5|-1000.25|"(1"|"5-3"`,
			hint: columns.Hint{Measure: true}},
		{cells: "2,50|(1,50)|1,50-|(0)", want: "2.5|-1.5|-1.5|0"},
		{cells: "$2.50|($1.50)|-$0.50", want: "2.5|-1.5|-0.5"},
		{cells: "(1)|(2)", want: `"(1)"|"(2)"`},
		{cells: "1.50-|(2.50)", hint: columns.Hint{Measure: true}, want: "-1.5|-2.5"},
		{cells: "0.3|<0.05|> 200|≤0,5 mg/l", want: `0.3|"<0.05"|"> 200"|"≤0,5 mg/l"`},
		{cells: "<18|18-65|>65", want: `"<18"|"18-65"|">65"`},
		{cells: "good|bad|inf", want: `"good"|"bad"|"inf"`},
		{cells: "#5|#A", want: `"#5"|"#A"`},
		{cells: "1.10", hint: columns.Hint{Title: "firmware"}, want: `"1.10"`},
		{cells: "1.10|1.10.2", want: `"1.10"|"1.10.2"`},
		{cells: "N|5|7", want: `"N"|"5"|"7"`},
		{cells: "21.5|NULL|NA|#N/A|NaN|22", want: "21.5|null|null|null|null|22"},
		{cells: "007|008", hint: columns.Hint{Measure: true}, want: "7|8"},
		{cells: "1.234|2.345", hint: columns.Hint{Mark: columns.Comma}, want: "1234|2345"},
		{cells: "1.234|2.345", want: "1.234|2.345"},
		{cells: "0.123|1.234", hint: columns.Hint{Either: true}, want: "0.123|1.234"},
		{cells: "1,23,456.50|12,34,567", want: "123456.5|1234567"},
		{cells: "true|False|TRUE|", want: `true|false|true|null`},
		{cells: "true|1|0", want: `"true"|"1"|"0"`},
		{cells: "1,234|2,345", hint: columns.Hint{Mark: columns.Point}, want: "1234|2345"},
	} {
		texts := strings.Split(tc.cells, "|")
		c, err := columns.Decide(sample(texts...), tc.hint)
		if err != nil {
			t.Errorf("%s: %v", tc.cells, err)
			continue
		}
		var got []string
		for _, text := range texts {
			value, _ := c.JSON(text)
			got = append(got, string(value))
		}
		if joined := strings.Join(got, "|"); joined != tc.want {
			t.Errorf("%s is %s, want %s", tc.cells, joined, tc.want)
		}
	}
}

func TestDecide_AColumnOfTwoMeaningsIsRefusedWithItsLines(t *testing.T) {
	for cells, want := range map[string]string{
		"21,5|21.5":         `"21.5" in line 3 has a decimal point, and "21,5" in line 2 a decimal comma`,
		"1,234|2,345":       `"1,234" in line 2 is two numbers, by a decimal comma and`,
		"1.234|2.345":       `"1.234" in line 2 is two numbers, by a decimal point and`,
		"21.5 K|22 K|23 K":  `none of 3 cells is a number, the first is "21.5 K" in line 2`,
		"|Bad|I/O Timeout|": `none of 2 cells is a number, the first is "Bad" in line 3`,
		"21 °C|70 °F":       `: "21 °C" in line 2 and "70 °F" in line 3 are not of one unit`,
	} {
		hint := columns.Hint{Measure: true, Either: true}
		_, err := columns.Decide(sample(strings.Split(cells, "|")...), hint)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", cells, err, want)
		}
	}
}

// Points with three digits behind are decimals, unless there are numbers without a point and all of these are
// below a thousand.
func TestDecide_PointsBetweenThousandsAreNotTakenForDecimals(t *testing.T) {
	for cells, ambiguous := range map[string]bool{
		"447|1.996|4.352|-2.112": true,
		"3.301|3.298|3.305":      false,
		"447|1.996|4.352|2.5":    false,
		"4470|1.996|4.352|2.112": false,
		"447|1.996":              false,
	} {
		_, err := columns.Decide(sample(strings.Split(cells, "|")...), columns.Hint{Measure: true})
		if (err != nil) != ambiguous {
			t.Errorf("%s: %v, want it refused: %v", cells, err, ambiguous)
		}
	}
}

func TestMissing_IsWhatProgramsFillFieldsWith(t *testing.T) {
	for _, text := range []string{"", "-", "-----", "–", "*", "****", "?", "??", ".", "..", ":", "NA", "_"} {
		if !columns.Missing(text) {
			t.Errorf("%q is taken for a value", text)
		}
	}
	for _, text := range []string{"-1", ".5", "x", "*1", "a.", "#####"} {
		if columns.Missing(text) {
			t.Errorf("%q is taken for no value", text)
		}
	}
}

func TestParse_ATypeThatIsNoneIsNamed(t *testing.T) {
	if got, err := columns.Parse("a=text, b=number"); err != nil || got["a"] != columns.Text ||
		got["b"] != columns.Number {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"a", "a=int", "=text"} {
		if _, err := columns.Parse(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestDecide_TextWithNumbersNamesACellOfEach(t *testing.T) {
	for cells, want := range map[string]string{
		"7160|Ice": `text: "7160" in line 2 is a number, and "Ice" in line 3 is none`,
		"on|off":   "text",
		"007|008":  "text",
	} {
		c, err := columns.Decide(sample(strings.Split(cells, "|")...), columns.Hint{})
		if err != nil || c.String() != want {
			t.Errorf("%s is %s, %v; want %s", cells, c, err, want)
		}
	}
}

func TestParse_TheNameOfAColumnHasAnyMarks(t *testing.T) {
	got, err := columns.Parse(`{job="a", up="1"}=text,Temp, °C=number`)
	if err != nil || len(got) != 2 || got[`{job="a", up="1"}`] != columns.Text ||
		got["Temp, °C"] != columns.Number {
		t.Errorf("%v, %v", got, err)
	}
}
