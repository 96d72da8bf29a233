package formats

import (
	"archive/zip"
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// packed returns an archive of parts: names that are followed by their text.
func packed(t *testing.T, name string, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		part, err := archive.Create(parts[i])
		if err == nil {
			_, err = part.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, name, b.String())
}

const (
	visitors     = "imported_visitors_20241003_20241003.csv"
	visitorsText = "date,visitors,pageviews\n2024-10-03,7,12\n"
)

// An export that was packed again has parts of the system, other capitals, and what its owner added.
func TestWeb_ReadsArchivesThatWerePackedAgain(t *testing.T) {
	t.Parallel()
	const other = "\xEF\xBB\xBFPageviews, Date ,visitors\r\n12,2024-10-03,7\r\n"
	const mac = "__MACOSX/x/._" + visitors
	const plain = visitorsText
	for what, file := range map[string]string{
		"as it came":         packed(t, "export.zip", visitors, plain),
		"capitals":           packed(t, "EXPORT.ZIP", strings.ToUpper(visitors), strings.ToUpper(plain)),
		"macOS":              packed(t, "a.zip", "x/"+visitors, plain, mac, "", "x/.DS_Store", ""),
		"Windows":            packed(t, "a.zip", `x\`, "", `x\`+visitors, plain),
		"a second copy":      packed(t, "a.zip", strings.TrimSuffix(visitors, ".csv")+" (1).csv", plain),
		"another program":    packed(t, "a.zip", visitors, other),
		"with an empty file": packed(t, "a.zip", visitors, plain, "pages.csv", "", "devices.csv", "date\n"),
	} {
		got, problems := readWeb(t, webfield.ImportedDays, Web{Format: "plausible", Site: "s"}, file)
		want := []map[string]any{{"siteId": "s", "stream": "visitors", "visitors_of_day": 7.0,
			"pageviews": 12.0, "timestamp": "2024-10-03T00:00:00.000Z"}}
		if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
			t.Errorf("%s: %q (-want +got):\n%s", what, problems, diff)
		}
	}
}

// A column without a value is no text, as it is no number.
func TestWeb_NoValueOfPlausibleIsNoText(t *testing.T) {
	t.Parallel()
	const text = "date,country,region,city,visitors\n2024-10-03,DE,\\N,0,\\N\n"
	got, problems := readWeb(t, webfield.ImportedDays, Web{Format: "plausible", Site: "s"},
		write(t, "imported_locations_20241003_20241003.csv", text))
	if len(got) != 1 || len(problems) > 0 || got[0]["country"] != "DE" || got[0]["region"] != nil ||
		strings.Contains(fmt.Sprint(got[0]["stream"]), noValue) {
		t.Errorf("%v, %q, want a row of DE without a region", got, problems)
	}
}

func TestWeb_NamesThePartsThatAreNoneOfTheExport(t *testing.T) {
	t.Parallel()
	for format, parts := range map[string][]string{
		"plausible":        {"README.txt", "hello", visitors, visitorsText},
		"goatcounter-json": {"README.txt", "hello", "paths.jsonl", `{"id":1,"path":"/"}`},
	} {
		kind, _ := websites(t).Kind(webfield.ImportedDays)
		var notices []string
		in := Input{Kind: kind, Web: &Web{Format: format, Site: "s"},
			Notice: func(text string) { notices = append(notices, text) }}
		err := in.Each([]string{packed(t, "a.zip", parts...)}, func(Observation) error { return nil })
		if err != nil || len(notices) != 1 || !strings.Contains(notices[0], "a.zip/README.txt is no file") {
			t.Errorf("%s: %v, %q", format, err, notices)
		}
	}
}

// A file without a column that it needs is refused whole: its rows would be other events.
func TestWeb_RefusesExportsWithoutTheirColumns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, file, text, want string }{
		{"plausible", "visitors.csv", "visitors\n7\n", `no column date; the header has "visitors"`},
		{"plausible", "visitors.csv", "date;visitors\n", `no column date; the header has "date;visitors"`},
		{"plausible", "visitors.csv", "date,visitors,Visitors\n", `two columns are named "visitors"`},
		{"goatcounter", "a.csv", "2Path,Event,Session,Date\n", "no column Bot"},
		{"goatcounter", "a.csv", "2Path,Event,Bot,Date\n", "no column Session"},
	} {
		kind, _ := websites(t).Kind(webfield.ImportedDays)
		in := Input{Kind: kind, Web: &Web{Format: c.format, Site: "s"}, Lenient: true}
		err := in.Each([]string{write(t, c.file, c.text)}, func(Observation) error { return nil })
		if !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// goatLine is the line of a view in version 2.
const goatLine = "2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme," +
	"Screen size,Location,FirstVisit,Date\n/,Home,false,,Firefox 130,Linux,7,0,,,,DE,true,2024-10-04T12:03:07Z\n"

// A later export has the same views, with the titles that their pages have by then.
func TestWeb_AViewOfGoatCounterIsTheSameInALaterExport(t *testing.T) {
	t.Parallel()
	ids := func(text string) (all []any) {
		w := Web{Format: "goatcounter", Site: "s"}
		got, problems := readWeb(t, web.PageViews.Name, w, write(t, "a.csv", text))
		for _, e := range got {
			all = append(all, e["id"])
		}
		if len(problems) > 0 || len(all) != 1 {
			t.Fatalf("%q: %v, %q", text, got, problems)
		}
		return all
	}
	first := ids(goatLine)
	for what, again := range map[string]string{
		"another title": strings.Replace(goatLine, "Home", `"New
home"`, 1),
		"line breaks": strings.ReplaceAll(goatLine, "\n", "\r\n"),
	} {
		if got := ids(again); !slices.Equal(got, first) {
			t.Errorf("%s: %v, want %v", what, got, first)
		}
	}
	if got := ids(strings.Replace(goatLine, ",7,", ",8,", 1)); slices.Equal(got, first) {
		t.Errorf("a view of another session has the id %v, too", got)
	}
}

// Version 1 has the user agent in the column Browser. It is not stored.
func TestWeb_GoatCounterOfVersion1HasUserAgents(t *testing.T) {
	t.Parallel()
	const text = "1Path,Title,Event,Bot,Session,FirstVisit,Referrer,Referrer scheme,Browser,Screen size," +
		"Location,Date\n" +
		`/,Home,0,0,7,1,,,"Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0",,DE,` +
		"2021-10-04T12:03:07Z\n"
	got, _ := readWeb(t, web.PageViews.Name, Web{Format: "goatcounter", Site: "s"}, write(t, "a.csv", text))
	want := []map[string]any{{"siteId": "s", "stream": "imported", "timestamp": "2021-10-04T12:03:07.000Z",
		"path": "/", "browser": "Firefox", "os": "Linux", "device": "desktop", "country": "DE",
		"channel": "Direct"}}
	if diff := cmp.Diff(want, without(got, "visitor", "id")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What an export does not say is left out: views without a session are not all of one visitor.
func TestWeb_GoatCounterOmitsWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("Firefox 130", "", "Linux", "", ",7,", ",,").Replace(goatLine)
	got, _ := readWeb(t, web.PageViews.Name, Web{Format: "goatcounter", Site: "s"}, write(t, "a.csv", text))
	for _, field := range []string{"visitor", "browser", "os", "device"} {
		if value, found := got[0][field]; found {
			t.Errorf("%s is %q", field, value)
		}
	}
}

// A campaign and a referrer may have one name, and views of both in one hour.
func TestWeb_GoatCountersCampaignsAreSeriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	const count = `{"hour":"2026-03-05T19:00:00Z","path_id":1,"ref_id":%d,"count":%d}`
	w := Web{Format: "goatcounter-json", Site: "s"}
	got, problems := readWeb(t, webfield.ImportedDays, w, packed(t, "a.zip",
		"Hit_Stats.jsonl", fmt.Sprintf(count+"\n"+count, 1, 3, 2, 4), "Paths.jsonl", `{"id":1,"path":"/"}`,
		"refs.jsonl", `{"id":1,"ref":"Google","ref_scheme":"g"}`+"\n"+
			`{"id":2,"ref":"Google","ref_scheme":"c"}`))
	if len(got) != 3 || len(problems) > 0 || got[0]["stream"] == got[1]["stream"] ||
		got[0]["referrer"] != "Google" || got[1]["utm_source"] != "Google" || got[2]["pageviews"] != 7.0 {
		t.Errorf("%v, %q", got, problems)
	}
}

// The name of a series has no character that a reader cannot see, and rows whose texts differ by one are
// series of their own.
func TestWeb_NamesOfSeriesAreReadable(t *testing.T) {
	t.Parallel()
	file := write(t, "imported_custom_events.csv",
		"date,name,events\n2024-10-04,\"a\nb\",1\n2024-10-04,\"a\tb\",1\n2024-10-04,a b,1\n"+
			"2024-10-04,a\u202eb,1\n2024-10-04,a\u200db,1\n")
	got, _ := readWeb(t, webfield.ImportedDays, Web{Format: "plausible", Site: "s"}, file)
	names := map[any]bool{}
	for _, e := range got {
		names[e["stream"]] = true
		if !regexp.MustCompile(`^custom_events a b [0-9a-f]{16}$`).MatchString(fmt.Sprint(e["stream"])) {
			t.Errorf("stream %q", e["stream"])
		}
	}
	if len(names) != 5 {
		t.Errorf("series %v, want five", names)
	}
}
