package formats

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What is in a column for the first time below the sample is read as in a sample of its own, or said.
func TestCSV_ACellBelowTheSampleIsReadOrSaid(t *testing.T) {
	for _, tc := range []struct {
		sample, cells string // of the column, and below the sample
		separator     string
		want          string // of the cells: the field, and a stray one or the doubt
	}{
		{cells: "21.5|22", want: `"x":21.5|"x":22`},
		{cells: `"21,5"|"22,25"`, want: `"x":21.5|"x":22.25`},
		{cells: `"1,234"|"21,5"`, want: `"x":"1,234" stray|"x":21.5`},
		{cells: "1.234", separator: ";", want: `"x":"1.234" stray`},
		{cells: "007|12", want: `"x":"007"|"x":"12"`},
		{cells: "true|false|5", want: `"x":true|"x":false|"x":"5" stray`},
		{cells: "open|5|shut", want: `"x":"open"|"x":5|"x":"shut" stray`},
		{cells: "21.5 °C|22 °C|70 °F", want: `"x":21.5|"x":22|"x":"70 °F" stray`},
		{cells: "NULL|Bad|21.5", want: `"x":"NULL"|"x":"Bad"|"x":21.5`},
		{cells: "21.5|-9999", want: `"x":21.5|"x":-9999 pass --missing=-9999`},
		{sample: "3", cells: "-9999|4|-9999.0", want: `"x":-9999 pass --missing=-9999|"x":4|` +
			`"x":-9999 pass --missing=-9999.0`},
		{sample: "9998", cells: "9999|10000|19999", want: `"x":9999|"x":10000|"x":19999`},
		{sample: "998", cells: `"1,000"`, want: `"x":"1,000" stray`},
		{sample: "20.5", cells: `"20,125"|"1,000.5"`, want: `"x":20125 is stored as 20125|"x":1000.5`},
	} {
		t.Run(tc.sample+" then "+tc.cells, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if tc.separator == "" {
				tc.separator = ","
			}
			var table strings.Builder
			row := func(i int, cell string) {
				fmt.Fprintf(&table, "%d,a,1,%s\n", 1793523600+i, cell)
			}
			for i := range sampleRows + 1 {
				row(i, tc.sample)
			}
			cells := strings.Split(tc.cells, "|")
			for i, cell := range cells {
				row(sampleRows+1+i, cell)
			}
			text := "time,device,y,x\n" + table.String()
			if tc.separator != "," {
				text = strings.ReplaceAll(text, ",", tc.separator)
			}
			if err := os.WriteFile("t.csv", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			all := readAll(t, Input{Kind: readings(t)}, "t.csv")
			var got []string
			for _, o := range all[len(all)-len(cells):] {
				_, said, _ := strings.Cut(strings.TrimSuffix(string(o.Body), "}"), `"y":1`)
				said = strings.TrimPrefix(said, ",")
				if len(o.Stray) > 0 {
					said += " stray"
				}
				for _, d := range o.Doubts {
					said += " " + d.Why
				}
				got = append(got, said)
			}
			for i, want := range strings.Split(tc.want, "|") {
				begin, end, _ := strings.Cut(want, " ")
				if !strings.HasPrefix(got[i], begin) || !strings.Contains(got[i], end) ||
					end == "" && got[i] != begin {
					t.Errorf("%s is %s, want %s", cells[i], got[i], want)
				}
			}
		})
	}
}
