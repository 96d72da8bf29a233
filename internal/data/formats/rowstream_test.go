package formats

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// Rows of a report with other texts, or with the same texts in other columns, are other series.
func TestRowStream_IsOneOfEachRow(t *testing.T) {
	t.Parallel()
	text := rapid.SampledFrom([]string{"", "", "a", "b", "a b", "b a", "a  b"})
	texts := rapid.SliceOfN(text, 3, 3)
	rapid.Check(t, func(t *rapid.T) {
		one, other := texts.Draw(t, "one"), texts.Draw(t, "other")
		same := strings.Join(one, "|") == strings.Join(other, "|")
		if (rowStream("r", one) == rowStream("r", other)) != same {
			t.Fatalf("%q is in %q, and %q in %q", one, rowStream("r", one), other, rowStream("r", other))
		}
	})
	if got := rowStream("pages", []string{"x.org", "/a"}); got != "pages x.org /a" {
		t.Errorf("a row that its texts tell apart is in %q", got)
	}
}

func TestWeb_RowsOfAReportDoNotCollide(t *testing.T) {
	t.Parallel()
	file := write(t, "imported_sources.csv", "date,source,utm_medium,utm_campaign,visits\n"+
		"2024-10-04,Google,spring,,1\n2024-10-04,Google,,spring,2\n"+
		"2024-10-04,a b,c,,3\n2024-10-04,a,b c,,4\n")
	got, _ := readWeb(t, webfield.ImportedDays, Web{Format: "plausible", Site: "s"}, file)
	streams := map[any]bool{}
	for _, row := range got {
		streams[row["stream"]] = true
	}
	if len(streams) != 4 {
		t.Errorf("4 rows are in the series %v", streams)
	}
}

// Lines that are no events of the kind are counted, and what takes them is named.
func TestWeb_SaysHowManyLinesAreLeftOut(t *testing.T) {
	t.Parallel()
	const header = "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme," +
		"Screen size,Location,FirstVisit,Date\n"
	row := func(path, event string) string {
		return path + ",T," + event + ",,Chrome 1,Linux,s1,0,,,,DE,true,2026-11-10T10:00:00Z\n"
	}
	file := write(t, "export.csv", header+row("/a", "0")+row("click", "1")+row("buy", "true"))
	for kind, want := range map[string]string{
		web.PageViews.Name: "export.csv: 2 of its lines are no pageviews and are left out: import it again " +
			"with --kind customevents",
		web.CustomEvents.Name: "",
	} {
		var notices strings.Builder
		k, _ := websites(t).Kind(kind)
		in := Input{Kind: k, Web: &Web{Format: "goatcounter", Site: "s"},
			Notice: func(text string) { notices.WriteString(text) }}
		if err := in.Each([]string{file}, func(Observation) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got := notices.String(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: the notice is %q, want %q", kind, got, want)
		}
	}
}
