package columns_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/columns"
)

// A cell below the sample is a number where it can be one number only; any other is text, which is counted.
func TestJSON_ACellBelowTheSampleIsNoOtherNumber(t *testing.T) {
	either, measure := columns.Hint{Either: true}, columns.Hint{Measure: true}
	for _, tc := range []struct {
		sample, cell, want string
		hint               columns.Hint
		doubt              string
	}{
		{sample: "998|999", cell: "1,000", want: `"1,000" is text`},
		{sample: "998|999", cell: "1.000", hint: either, want: `"1.000" is text`},
		{sample: "998|999", cell: "1.125", want: "1.125"},
		{sample: "998|999", cell: "1,000.5", want: "1000.5"},
		{sample: "20|21", cell: "21,5", want: "21.5"},
		{sample: "20|21", cell: "21.5", hint: either, want: "21.5"},
		{sample: "20|21", cell: "1,000", hint: columns.Hint{Mark: columns.Point}, want: "1000",
			doubt: "1000"},
		{sample: "20.5|21", cell: "20,125", want: "20125", doubt: "20125"},
		{sample: "20.5|21", cell: "20,125.0", want: "20125"},
		{sample: "20.5|21", cell: "21,5", want: `"21,5" is text`},
		{sample: "20,5|21", cell: "20.125", want: "20125", doubt: "20125"},
		{sample: "20.5|1,234", cell: "20,125", want: "20125"},
		{sample: "$20.5|$21", cell: "$20,125", want: "20125", doubt: "20125"},
		{sample: "12|21", cell: "007", want: `"007" is text`},
		{sample: "12|21", cell: "007", hint: measure, want: "7"},
		{sample: "12|21", cell: "ERR", want: `"ERR" is text`},
	} {
		c, err := columns.Decide(sample(strings.Split(tc.sample, "|")...), tc.hint)
		if err != nil {
			t.Errorf("%s: %v", tc.sample, err)
			continue
		}
		value, ok := c.JSON(tc.cell)
		got := string(value)
		if !ok {
			got += " is text"
		}
		if doubt := c.Doubt(tc.cell); got != tc.want || doubt != tc.doubt {
			t.Errorf("%s, and then %s is %s, in doubt %q; want %s, %q", tc.sample, tc.cell, got, doubt,
				tc.want, tc.doubt)
		}
	}
}
