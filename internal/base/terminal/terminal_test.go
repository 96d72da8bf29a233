package terminal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestTable_AlignsColumnsAndReplacesControlCharacters(t *testing.T) {
	var out strings.Builder
	table := NewTable(&out, 1)
	table.Add("NAME", "N")
	table.Add("größe", "7")
	table.Add("x\x1b[31m\n", "100")
	if err := table.Print(); err != nil {
		t.Fatal(err)
	}
	if want := "NAME       N\ngröße      7\nx·[31m·  100\n"; out.String() != want {
		t.Errorf("got\n%q\nwant\n%q", out.String(), want)
	}
}

func TestTable_CutsLinesAtTheWidthOfTheTerminal(t *testing.T) {
	for width, want := range map[int]string{
		0:  "TIME   LOCATION                  N  NOTE\n14:00  the hall behind the gate  7  open\n",
		18: "TIME   LOCATION  …\n14:00  the hall b…\n",
	} {
		var out strings.Builder
		table := NewTable(&out, 2)
		table.width = width
		table.Add("TIME", "LOCATION", "N", "NOTE")
		table.Add("14:00", "the hall behind the gate", "7", "open")
		if err := table.Print(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("width %d: got\n%s\nwant\n%s", width, out.String(), want)
		}
	}
}

func TestTable_WithoutRowsPrintsNothing(t *testing.T) {
	var out strings.Builder
	if err := NewTable(&out).Print(); err != nil || out.Len() > 0 {
		t.Errorf("printed %q, %v; want nothing", out.String(), err)
	}
}

func TestPrintableLines_KeepsNewlinesAndTabs(t *testing.T) {
	if got, want := PrintableLines("a\tb\r\n\x1b[2J"), "a\tb·\n·[2J"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrouped_PutsCommasBetweenThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestProgress_WithoutATerminalPrintsALineEveryFewSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := NewProgress(&out, "replay", "obs", 1000)
		for range 12 {
			time.Sleep(time.Second)
			p.Add(50)
		}
		p.Done()
		if want := "replay: 250 of 1,000 (50/s, 15s left)\nreplay: 500 of 1,000 (50/s, 10s left)\n"; out.String() != want {
			t.Errorf("got\n%s\nwant\n%s", out.String(), want)
		}
	})
}
