package timetext

import (
	"strings"
	"testing"
	"time"
)

func TestClock_ReadsNamesOfMonthsAndDaysInOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, cell, want string }{
		{"", "12. März 2026 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "12. Ma\u0308rz 2026", "2026-03-12T00:00:00.000Z"},
		{"", "12.Mrz.2026 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "Do., 12. März 2026, 14:05 Uhr", "2026-03-12T14:05:00.000Z"},
		{"", "Do 12.03.2026 14:05 Uhr", "2026-03-12T14:05:00.000Z"},
		{"", "Donnerstag, den 12. März 2026 um 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "1. Jänner 2026", "2026-01-01T00:00:00.000Z"},
		{"", "Dez 2026", "2026-12-01T00:00:00.000Z"},
		{"", "12-mars-2026", "2026-03-12T00:00:00.000Z"},
		{"", "12-déc.-2026 10:00:01", "2026-12-12T10:00:01.000Z"},
		{"", "1er aout 2026 à 14h05", "2026-08-01T14:05:00.000Z"},
		{"", "mar. 10 mars 2026 09:30:00 +0100", "2026-03-10T08:30:00.000Z"},
		{"", "mar 10, 2026", "2026-03-10T00:00:00.000Z"},
		{"", "12 de marzo de 2026", "2026-03-12T00:00:00.000Z"},
		{"", "10 de mayo de 2026, 2:05 p. m.", "2026-05-10T14:05:00.000Z"},
		{"", "quinta-feira, 12 de março de 2026 às 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "5 mag 2026 alle ore 10:00", "2026-05-05T10:00:00.000Z"},
		{"", "5 mrt. 2026 om 10:00", "2026-03-05T10:00:00.000Z"},
		{"", "5 października 2026 10:00", "2026-10-05T10:00:00.000Z"},
		{"", "5. okt. 2026 kl. 10:00", "2026-10-05T10:00:00.000Z"},
		{"", "12. března 2026 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "12 Ağustos 2026 14:05", "2026-08-12T14:05:00.000Z"},
		{"", "2026. márc. 12. 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "2026. szeptember 12.", "2026-09-12T00:00:00.000Z"},
		{"", "12 марта 2026 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "12. 3. 2026 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "12.03.2026 14.05", "2026-03-12T14:05:00.000Z"},
		{"", "12.3.2026 klo 9.05", "2026-03-12T09:05:00.000Z"},
		{"", "12.03.26, 14.05 Uhr", "2026-03-12T14:05:00.000Z"},
		{"", "12. März 2026 um 14.05 Uhr", "2026-03-12T14:05:00.000Z"},
		{"", "2026-03-12 2.05 PM", "2026-03-12T14:05:00.000Z"},
		{"", "12.03.2026 14.05.30", "2026-03-12T14:05:30.000Z"},
		{"", "12.03.2026 14.5", ""},
		{"", "12.03.2026 14.61", ""},
		{"", "12/mars/2026:14:05:00 +0100", "2026-03-12T13:05:00.000Z"},
		{"", "12MAR2026:14:05:00", "2026-03-12T14:05:00.000Z"},
		{"", "2026-Mar-12 14:05", "2026-03-12T14:05:00.000Z"},
		{"", "Sept. 12th, 2026 2:05 PM", "2026-09-12T14:05:00.000Z"},
		{"", "Thu 12 Mar 2026 14:05:00", "2026-03-12T14:05:00.000Z"},
		{"%d. %b %Y %H:%M", "12. Mai 2026 14:05", "2026-05-12T14:05:00.000Z"},
		{"%d.%B.%Y", "12.März.2026", "2026-03-12T00:00:00.000Z"},
		{"%d %b %Y", "14 févr. 2026", "2026-02-14T00:00:00.000Z"},
		{"%A, %d de %B de %Y", "martes, 10 de marzo de 2026", "2026-03-10T00:00:00.000Z"},
		{"", "32 mars 2026", ""},
		{"", "12 Mar 14:05:30", ""}, // of which year?
		{"", "mars", ""},
		{"", "12 mm 2026", ""},
	} {
		clock := Clock{Zone: time.UTC}
		if c.format != "" {
			if err := clock.SetFormat(c.format); err != nil {
				t.Fatal(err)
			}
		}
		_, sent, err := clock.Read(c.cell)
		if err != nil {
			sent = ""
		}
		if sent != c.want {
			t.Errorf("%q by %q is %s, %v; want %q", c.cell, c.format, sent, err, c.want)
		}
	}
}

func TestDateOrder_IsSaidBehindTheNameOfADay(t *testing.T) {
	t.Parallel()
	clock := Clock{Zone: time.UTC, Order: DateOrder("ven. 13/03/2026")}
	if _, sent, err := clock.Read("lun. 09/03/2026 14:05"); sent != "2026-03-09T14:05:00.000Z" {
		t.Errorf("%s, %v", sent, err)
	}
}

func TestMonths_NoNameIsOfTwo(t *testing.T) {
	t.Parallel()
	countWords(t, monthNames, months)
	countWords(t, dayNames, weekdays)
}

func countWords[T comparable](t *testing.T, lists map[T]string, by map[string]T) {
	n := 0
	for _, list := range lists {
		for name := range strings.FieldsSeq(list) {
			if n++; fold(name) != name {
				t.Errorf("%q is not folded", name)
			}
		}
	}
	if n != len(by) || n < 12 {
		t.Errorf("%d names are %d words", n, len(by))
	}
}
