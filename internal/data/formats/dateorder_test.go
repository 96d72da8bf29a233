package formats

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Rows are thousands of one date, and then others. An order that the file contradicts anywhere is refused,
// because 1/2/2026 may be another day than it is read as.
func TestCSV_ADateThatContradictsTheOrderOfItsColumnIsRefused(t *testing.T) {
	t.Parallel()
	const first = " has the year or the day first"
	for name, tc := range map[string]struct {
		sample string   // a time, many times
		below  []string // times
		line   int      // of the error; 0 if there is none
		want   string
	}{
		"day, then month":  {"25/11/2025", []string{"1/2/2026", "2/25/2026"}, 1504, " has the month first"},
		"month, then day":  {"11/25/2025", []string{"1/2/2026", "25/2/2026"}, 1504, " has the day first"},
		"dashes":           {"25-11-2025", []string{"02-25-2026"}, 1503, " has the month first"},
		"one order":        {"25/11/2025", []string{"1/2/2026", "25/2/2026", "13/13/2026"}, 0, ""},
		"year first":       {"25/11/26 10:00", []string{"25/11/27 10:00"}, 1503, first},
		"year, then month": {"25/11/26 10:00", []string{"25/12/26 10:00", "25/12/27 10:00"}, 1504, first},
		"New Year":         {"31/12/24 10:00", []string{"01/01/25 10:00", "13/01/25 10:00"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			text.WriteString("device,time,value\n")
			for i := range 1501 {
				fmt.Fprintf(&text, "a%d,%s,1\n", i, tc.sample)
			}
			for _, below := range tc.below {
				fmt.Fprintf(&text, "a,%s,1\n", below)
			}
			in := Input{Kind: readings(t), Lenient: true}
			in.Clock.Zone = time.UTC
			err := readOne(t, in, "t.csv", text.String())
			if tc.line == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			want := fmt.Sprintf(":%d: %q%s", tc.line, tc.below[len(tc.below)-1], tc.want)
			if !usererr.Is(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want an error with %s", err, want)
			}
		})
	}
}
