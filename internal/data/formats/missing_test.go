package formats

import (
	"os"
	"strings"
	"testing"
)

// What may be no value is said before it is stored, also if the user maps the columns.
func TestCSV_ANumberThatMayBeNoValueIsSaid(t *testing.T) {
	const table = "time,device,t\n\n2026-11-01T10:00:00Z,a,3.1\n2026-11-01T11:00:00Z,a,-9999.0\n"
	for text, want := range map[string]string{
		table: `-9999.0 in line 4 of the column "t" is stored as a number: if it says that there is no value, ` +
			"pass --missing=-9999.0",
		strings.Replace(table, "-9999.0", "-99.0", 1):                               "",
		strings.Replace(table, "-9999.0", "9999.99", 1):                             "pass --missing=9999.99",
		strings.Replace(table, "-9999.0", "-7999", 1):                               "pass --missing=-7999",
		strings.Replace(table, "-9999.0", "-32768", 1):                              "pass --missing=-32768",
		"time,device,t\n2026-11-01T10:00:00Z,a,6998\n2026-11-01T11:00:00Z,a,6999\n": "", // a counter
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("t.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		kind := readings(t)
		columns, err := ParseColumns("subject=device,time=time,value=t", kind)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		readAll(t, Input{Kind: kind, Columns: columns, Notice: func(text string) { said += text }}, "t.csv")
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: said %q, want %q", text, said, want)
		}
	}
}
