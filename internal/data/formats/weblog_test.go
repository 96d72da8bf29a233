package formats

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// websites returns the kinds of websites, and the one that the message of Web.Kind declares.
func websites(t testing.TB) *catalog.Catalog {
	t.Helper()
	settings, err := configfile.Parse("tidemark.yaml", []byte(importedDay), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := settings.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// readWeb returns what the files of testdata become: the fields of an event, or the place and the
// reason of a line that is none.
func readWeb(t *testing.T, kind string, w Web, names ...string) (all []map[string]any, problems []string) {
	t.Helper()
	k, found := websites(t).Kind(kind)
	if !found {
		t.Fatalf("no kind %s", kind)
	}
	w.Secret = []byte("secret")
	in := Input{Kind: k, Web: &w, Lenient: true}
	err := in.Each(names, func(o Observation) error {
		if o.Problem != "" {
			problems = append(problems, o.Location[strings.LastIndex(o.Location, "/")+1:]+" "+o.Problem)
			return nil
		}
		fields := map[string]any{}
		if err := json.Unmarshal(o.Body, &fields); err != nil || !o.Timed || o.At.String() != fields["timestamp"] {
			t.Errorf("%s: %s: %v", o.Location, o.Body, err)
		}
		all = append(all, fields)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, problems
}

// without removes fields whose values are hashes.
func without(events []map[string]any, names ...string) []map[string]any {
	for _, e := range events {
		for _, name := range names {
			delete(e, name)
		}
	}
	return events
}

func TestWeb_SuccessfulRequestsForPagesAreViews(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		web      Web
		file     string
		want     []map[string]any
		problems []string
	}{
		{Web{Format: "combined", Site: "example.com"}, "combined.log", []map[string]any{
			{"siteId": "example.com", "timestamp": "2024-10-04T12:03:07.000Z", "path": "/pricing", "status": "200", "method": "GET", "bytes": 5120.0,
				"browser": "Chrome", "os": "Windows", "device": "desktop", "referrer": "www.google.com", "source": "Newsletter", "channel": "Email",
				"utm_source": "Newsletter", "utm_medium": "email"},
			{"siteId": "example.com", "stream": "bots", "timestamp": "2024-10-05T02:29:59.000Z", "path": "/docs/v1.2", "status": "304", "method": "GET",
				"browser": "Other", "os": "Other", "device": "bot", "channel": "Direct"},
			{"siteId": "example.com", "timestamp": "2024-10-05T00:00:00.000Z", "path": "/", "status": "200", "method": "GET", "bytes": 77.0,
				"browser": "Firefox", "os": "Linux", "device": "desktop", "channel": "Direct"},
			{"siteId": "example.com", "timestamp": "2024-10-05T00:00:00.000Z", "path": "/", "status": "200", "method": "GET", "bytes": 77.0,
				"browser": "Firefox", "os": "Linux", "device": "desktop", "channel": "Direct"},
		}, []string{"combined.log:9 the time is not in the form of the format",
			"combined.log:10 3 fields, the format has 9"}},
		{Web{Format: "vhost_combined"}, "vhost.log", []map[string]any{
			{"siteId": "example.com", "timestamp": "2024-10-04T12:03:07.000Z", "path": "/a.html", "status": "200", "method": "GET", "bytes": 5.0,
				"browser": "Safari", "os": "iOS", "device": "phone", "channel": "Direct"},
			{"siteId": "", "timestamp": "2024-10-04T12:03:08.000Z", "path": "/a.html", "status": "200", "method": "GET", "bytes": 5.0,
				"browser": "Firefox", "os": "Linux", "device": "desktop", "channel": "Direct"}, // which the API rejects
		}, nil},
		{Web{Format: "cloudfront"}, "cloudfront.log", []map[string]any{
			{"siteId": "www.example.com", "timestamp": "2024-10-04T12:03:07.000Z", "path": "/blog/", "status": "200", "method": "GET", "bytes": 4096.0,
				"browser": "Safari", "os": "macOS", "device": "desktop", "referrer": "t.co", "source": "Twitter", "channel": "Organic Social", "utm_campaign": "spring"},
			{"siteId": "", "timestamp": "2024-10-04T12:03:08.000Z", "path": "/blog/", "status": "200", "method": "GET", "bytes": 4096.0,
				"browser": "Firefox", "os": "Linux", "device": "desktop", "channel": "Direct"}, // which the API rejects
		}, []string{"cloudfront.log:5 2 fields, the format has 19"}},
		{Web{Format: "cloudfront", Site: "mine"}, "cloudfront.log", []map[string]any{
			{"siteId": "mine", "timestamp": "2024-10-04T12:03:07.000Z", "path": "/blog/", "status": "200", "method": "GET", "bytes": 4096.0,
				"browser": "Safari", "os": "macOS", "device": "desktop", "referrer": "t.co", "source": "Twitter", "channel": "Organic Social", "utm_campaign": "spring"},
			{"siteId": "mine", "timestamp": "2024-10-04T12:03:08.000Z", "path": "/blog/", "status": "200", "method": "GET", "bytes": 4096.0,
				"browser": "Firefox", "os": "Linux", "device": "desktop", "channel": "Direct"},
		}, []string{"cloudfront.log:5 2 fields, the format has 19"}},
		{Web{Format: "alb"}, "alb.log", []map[string]any{
			{"siteId": "www.example.com", "timestamp": "2024-10-04T12:03:07.186Z", "path": "/shop", "status": "200", "method": "GET", "bytes": 366.0,
				"browser": "Chrome", "os": "Android", "device": "phone", "hostname": "www.example.com", "source": "friends",
				"channel": "Campaign"},
		}, nil},
	} {
		got, problems := readWeb(t, web.PageViews.Name, c.web, "testdata/"+c.file)
		if diff := cmp.Diff(c.want, without(got, "visitor", "id")); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.web, diff)
		}
		if diff := cmp.Diff(c.problems, problems); diff != "" {
			t.Errorf("%+v: problems (-want +got):\n%s", c.web, diff)
		}
	}
}

func TestWeb_CutsTheAddressesOfLogsAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/100%": "/100%", "/a%zz?b=%": "/a%zz", "/caf%c3%a9": "/café", `/caf\xC3\xA9`: "/café", "/a b": "/a%20b",
		"//double": "/double", "/a/../b": "/b", "http://example.com/x": "/x",
	} {
		line := `192.0.2.1 - - [04/Oct/2024:12:03:07 +0000] "GET ` + target + ` HTTP/1.1" 200 5 "-" "Firefox/150.0"`
		w := Web{Format: "combined", Site: "example.com"}
		got, problems := readWeb(t, web.PageViews.Name, w, write(t, "a.log", line+"\n"))
		if len(got) != 1 || got[0]["path"] != want {
			t.Errorf("%s: %v, %v, want the path %s", target, got, problems, want)
		}
	}
}

func TestWeb_OtherRequestsAreOfTheirKind(t *testing.T) {
	t.Parallel()
	got, _ := readWeb(t, web.Requests.Name, Web{Format: "combined", Site: "example.com"},
		"testdata/combined.log")
	var found []string
	for _, e := range got {
		found = append(found, e["method"].(string)+" "+e["path"].(string)+" "+e["status"].(string))
	}
	want := []string{"GET /static/app.css 200", "GET /pricing 404", "POST /pricing 200"}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A line has the same id whenever it is read, another one than an equal line of the file, and no text
// from which an address could be found by trying.
func TestWeb_ALineHasOneIdentity(t *testing.T) {
	t.Parallel()
	w, name := Web{Format: "combined", Site: "example.com"}, "testdata/combined.log"
	first, _ := readWeb(t, web.PageViews.Name, w, name)
	again, _ := readWeb(t, web.PageViews.Name, w, name, name)
	if diff := cmp.Diff(append(first, first...), again); diff != "" {
		t.Errorf("read again (-first +again):\n%s", diff)
	}
	ids := map[string]bool{}
	for _, e := range first {
		ids[e["id"].(string)] = true
	}
	if len(ids) != len(first) || first[3]["id"] != first[2]["id"].(string)+".1" {
		t.Errorf("ids %v, want a different id for each event", ids)
	}
	if first[2]["visitor"] != first[3]["visitor"] || first[0]["visitor"] == first[2]["visitor"] ||
		first[0]["visitor"] == "" {
		t.Errorf("visitors: %v", first)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, text[:bytes.IndexByte(text, '\n')]...) // a log that grew
	grown := filepath.Join(t.TempDir(), "grown.log")
	if err := os.WriteFile(grown, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	longer, _ := readWeb(t, web.PageViews.Name, w, grown)
	if diff := cmp.Diff(first, longer[:len(first)]); diff != "" ||
		longer[len(first)]["id"] != first[0]["id"].(string)+".1" {
		t.Errorf("ids of a log that grew (-before +after):\n%s", diff)
	}
}

func TestWeb_EqualLinesAreCountedNearEachOther(t *testing.T) {
	t.Parallel()
	r := webReader{Input: Input{Web: &Web{}}, equal: map[string]int{}}
	first := r.id("a")
	for range distinctLines + 1 {
		if got := r.id("a"); got == first {
			t.Fatal("two equal lines have one id")
		}
	}
	for i := range distinctLines {
		r.id(strings.Repeat("x", i%50) + string(rune(i)))
	}
	if len(r.equal)+len(r.older) > 2*distinctLines+2 {
		t.Errorf("%d ids are remembered", len(r.equal)+len(r.older))
	}
}

func TestWeb_GoatCountersHitsAreMarkedAsImported(t *testing.T) {
	t.Parallel()
	w := Web{Format: "goatcounter", Site: "example.com"}
	views, problems := readWeb(t, web.PageViews.Name, w, "testdata/goatcounter.csv")
	if views[0]["visitor"] != views[1]["visitor"] || views[0]["visitor"] == views[2]["visitor"] {
		t.Errorf("a visitor is a session of GoatCounter: %v", views)
	}
	want := []map[string]any{
		{"siteId": "example.com", "stream": "imported", "timestamp": "2024-10-04T12:03:07.000Z", "path": "/", "browser": "Firefox", "os": "Linux", "screen": "desktop",
			"country": "DE", "region": "DE-BE", "referrer": "www.heise.de", "source": "heise.de", "channel": "Referral"},
		{"siteId": "example.com", "stream": "imported", "timestamp": "2024-10-04T12:04:07.000Z", "path": "/about", "browser": "Mobile Safari", "os": "iOS", "screen": "mobile",
			"country": "DE", "source": "Hacker News", "channel": "Organic Social"},
		{"siteId": "example.com", "stream": "imported", "timestamp": "2024-10-04T12:05:07.000Z", "path": "/about", "browser": "Chrome", "os": "Windows",
			"country": "US", "region": "US-TX", "source": "spring", "channel": "Campaign", "utm_source": "spring"},
		{"siteId": "example.com", "stream": "imported bots", "timestamp": "2024-10-04T12:06:07.000Z", "path": "/", "browser": "Chrome", "os": "Windows", "channel": "Direct"},
	}
	if diff := cmp.Diff(want, without(views, "visitor", "id")); diff != "" {
		t.Errorf("views (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"goatcounter.csv:7 the column Date is not a time"}, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	events, _ := readWeb(t, web.CustomEvents.Name, w, "testdata/goatcounter.csv")
	want = []map[string]any{{"siteId": "example.com", "stream": "imported",
		"timestamp": "2024-10-04T12:07:07.000Z", "name": "sign-up"}}
	if diff := cmp.Diff(want, without(events, "visitor", "id")); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestWeb_PlausiblesDaysAreSeriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	w, folder := Web{Format: "plausible", Site: "example.com"}, "testdata/plausible"
	names, err := files.Names(t.Context(), []string{folder})
	if err != nil {
		t.Fatal(err)
	}
	got, problems := readWeb(t, webfield.ImportedDays, w, names...)
	want := []map[string]any{
		{"siteId": "example.com", "stream": "pages example.com /pricing", "timestamp": "2024-10-04T00:00:00.000Z", "hostname": "example.com", "page": "/pricing",
			"visits": 4.0, "visitors_of_day": 3.0, "pageviews": 5.0, "pageleave_visitors": 0.0},
		{"siteId": "example.com", "stream": "sources Google google.com", "timestamp": "2024-10-04T00:00:00.000Z", "source": "Google", "referrer": "google.com",
			"visits": 4.0, "visitors_of_day": 3.0, "pageviews": 5.0, "bounces": 1.0, "visit_duration": 300.0},
		{"siteId": "example.com", "stream": "sources", "timestamp": "2024-10-04T00:00:00.000Z",
			"visits": 2.0, "visitors_of_day": 2.0, "pageviews": 4.0, "bounces": 1.0, "visit_duration": 115.0},
		{"siteId": "example.com", "stream": "visitors", "timestamp": "2024-10-03T00:00:00.000Z",
			"visits": 8.0, "visitors_of_day": 7.0, "pageviews": 12.0, "bounces": 3.0, "visit_duration": 940.0},
		{"siteId": "example.com", "stream": "visitors", "timestamp": "2024-10-04T00:00:00.000Z",
			"visits": 6.0, "visitors_of_day": 5.0, "pageviews": 9.0, "bounces": 2.0, "visit_duration": 415.0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	pages := "imported_pages_20241003_20241004.csv"
	wrong := []string{pages + ":3 pageviews is not a number", pages + ":4 date is not a day",
		pages + ":5 wrong number of fields"}
	if diff := cmp.Diff(wrong, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	zipped, problemsOfZip := readWeb(t, webfield.ImportedDays, w, newArchive(t, names))
	if diff := cmp.Diff(got, zipped); diff != "" || len(problemsOfZip) != len(wrong) {
		t.Errorf("from an archive, %d problems (-folder +archive):\n%s", len(problemsOfZip), diff)
	}
}

// An archive of files of another program is refused, where one file among others is left out with a notice.
func TestWeb_RefusesAnArchiveWithoutAFileOfTheExport(t *testing.T) {
	t.Parallel()
	kinds := websites(t)
	days, _ := kinds.Kind(webfield.ImportedDays)
	in := Input{Kind: days, Web: &Web{Format: "plausible", Site: "s"}}
	err := in.Each([]string{newArchive(t, []string{write(t, "hits.jsonl", "{}\n")})},
		func(Observation) error { return errors.New("an observation") })
	if !usererr.Is(err) || !strings.Contains(err.Error(), "no file of such an export") {
		t.Errorf("got %v, want a usage error", err)
	}
}

// newArchive returns a zip archive of files.
func newArchive(t *testing.T, names []string) string {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	if _, err := archive.Create("export/"); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		part, err := archive.Create("export/" + filepath.Base(name))
		if err == nil {
			_, err = part.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "export.zip", b.String())
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWeb_LongNamesOfSeriesEndInAHash(t *testing.T) {
	t.Parallel()
	file := write(t, "imported_pages.csv", "date,page,visits\n2024-10-04,/"+strings.Repeat("ä", 150)+
		"1,1\n2024-10-04,/"+strings.Repeat("ä", 150)+"2,1\n")
	got, _ := readWeb(t, webfield.ImportedDays, Web{Format: "plausible", Site: "s"}, file)
	a, b := got[0]["stream"].(string), got[1]["stream"].(string)
	if shape := regexp.MustCompile(`^pages /ä+ [0-9a-f]{16}$`); !shape.MatchString(a) || !shape.MatchString(b) ||
		a == b || len(a) > 256 {
		t.Errorf("streams %q and %q", a, b)
	}
}

func TestWeb_RefusesOtherFiles(t *testing.T) {
	t.Parallel()
	kinds := websites(t)
	devices, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	views, _ := kinds.Kind(web.PageViews.Name)
	for _, c := range []struct {
		in         Input
		file, text string
		want       string
	}{
		{Input{Kind: views, Web: &Web{Format: "goatcounter"}}, "a.csv", "3Path,Title\n", `begins with "3Path"`},
		{Input{Kind: views, Web: &Web{Format: "goatcounter"}}, "a.csv", `"1Path`, "read the header: "},
		{Input{Kind: views, Web: &Web{Format: "plausible"}}, "a.txt", "date\n", "not a file of an export of Plausible"},
		{Input{Kind: views, Web: &Web{Format: "plausible"}}, "a.zip", "PK", "a.zip: zip: not a valid zip file"},
		{Input{Kind: views, Web: &Web{Format: "cloudfront"}}, "a.log", "2024-10-04\t12:00:00\n", "a.log:1: 2 fields, the format has 0"},
		{Input{Kind: views, Web: &Web{Format: "combined", Site: "s"}}, "a.log", "192.0.2.77 x\n", "a.log:1: 2 fields"},
		{Input{Kind: &devices.Kinds[0], Web: &Web{Format: "combined"}}, "a.log", "", "and readings are none"},
	} {
		err := c.in.Each([]string{write(t, c.file, c.text)}, func(Observation) error { return nil })
		if !usererr.Is(err) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "192.0.2.77") {
			t.Errorf("%s in %s: %v, want a usage error with %q", c.text, c.file, err, c.want)
		}
	}
	for _, c := range []struct {
		method uint16
		text   string
		want   string
	}{{99, "x", "unsupported compression"}, {zip.Store, "\x1f\x8bno gzip", "unexpected EOF"}} {
		var b bytes.Buffer
		archive := zip.NewWriter(&b)
		part, err := archive.CreateRaw(&zip.FileHeader{Name: "visitors.csv", Method: c.method,
			UncompressedSize64: uint64(len(c.text)), CompressedSize64: uint64(len(c.text))})
		if err == nil {
			_, err = part.Write([]byte(c.text))
		}
		if err != nil || archive.Close() != nil {
			t.Fatal(err)
		}
		in := Input{Kind: views, Web: &Web{Format: "plausible"}}
		if err := in.Each([]string{write(t, "a.zip", b.String())}, nil); err == nil ||
			!strings.Contains(err.Error(), "visitors.csv") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a part that cannot be read: %v, want %q", err, c.want)
		}
	}
	if _, err := (&Web{Format: "apache"}).Kind(kinds); !usererr.Is(err) || !strings.Contains(err.Error(),
		"alb, cloudfront, combined, goatcounter, goatcounter-json, plausible, vhost_combined") {
		t.Errorf("an unknown format: %v", err)
	}
	if _, err := (&Web{Format: "combined"}).Kind(kinds); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "pass --site") {
		t.Errorf("a log without hosts: %v", err)
	}
	if name, err := (&Web{Format: "plausible", Site: "s"}).Kind(kinds); name != webfield.ImportedDays ||
		err != nil {
		t.Errorf("days are of kind %s, %v", name, err)
	}
	if _, err := (&Web{Format: "plausible", Site: "s"}).Kind(devices); !usererr.Is(err) ||
		!strings.Contains(err.Error(), "  IMPORTEDDAY:") {
		t.Errorf("without their kind: %v", err)
	}
	for _, missing := range []string{"none.zip", "none.log"} {
		in := Input{Kind: views, Web: &Web{Format: "combined", Site: "s"}}
		if err := in.Each([]string{missing}, nil); !usererr.Is(err) {
			t.Errorf("%s: %v", missing, err)
		}
	}
}

// FuzzWeb reads any text as each format: reading ends, and an event is one JSON object on a line.
func FuzzWeb(f *testing.F) {
	kinds := websites(f)
	for _, name := range []string{"combined.log", "vhost.log", "cloudfront.log", "alb.log", "goatcounter.csv",
		"plausible/imported_pages_20241003_20241004.csv"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for n := range webFormats {
			f.Add(n, text)
		}
	}
	f.Fuzz(func(t *testing.T, format string, text []byte) {
		if _, ok := webFormats[format]; !ok {
			t.Skip("no format has this name")
		}
		kind, _ := kinds.Kind(webFormats[format].kind)
		in := Input{Kind: kind, Lenient: true, Web: &Web{Format: format, Site: "s"},
			Open: func(string) (files.File, error) { return content{bytes.NewReader(text)}, nil }}
		n := 0
		_ = in.Each([]string{"pages.csv"}, func(o Observation) error {
			if n++; n > len(text) {
				t.Fatal("more lines than bytes")
			}
			if o.Problem == "" && (!json.Valid(o.Body) || bytes.Contains(o.Body, []byte("\n"))) {
				t.Errorf("%q is no object on a line", o.Body)
			}
			return nil
		})
	})
}

// The files have the form that GoatCounter documents for version 1.0 of its export.
func TestWeb_GoatCountersCountsAreSeriesOfTheirOwn(t *testing.T) {
	t.Parallel()
	names, err := files.Names(t.Context(), []string{"testdata/goatcounter"})
	if err != nil {
		t.Fatal(err)
	}
	w := Web{Format: "goatcounter-json", Site: "example.com"}
	got, problems := readWeb(t, webfield.ImportedDays, w, newArchive(t, names))
	var shown []string
	for _, e := range got {
		count := e["pageviews"]
		if e["events"] != nil {
			count = e["events"] // and no page views
		}
		shown = append(shown, fmt.Sprint(e["timestamp"], " ", e["stream"], " ", count))
	}
	want := []string{
		"2026-03-05T00:00:00.000Z browsers / Firefox 130 6",
		"2026-03-05T19:00:00.000Z pages / 4",
		"2026-03-05T19:00:00.000Z custom_events sign-up Google 1",
		"2026-03-05T20:00:00.000Z pages / Google 2",
		"2026-03-05T19:00:00.000Z visitors 4",
		"2026-03-05T20:00:00.000Z visitors 4",
		"2026-03-05T00:00:00.000Z locations / DE DE-BE 6",
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(problems) != 1 || !strings.Contains(problems[0], "path_id 9 is not in paths.jsonl") {
		t.Errorf("problems %q", problems)
	}
	w.tables = tables{"paths": {"2": {"event": "1"}, "3": {"event": "0"}, "4": {}}}
	for id, want := range map[string]bool{"2": true, "3": false, "4": false} {
		if got := w.isEvent(map[string]string{"path_id": id}); got != want {
			t.Errorf("path %s is an event: %t", id, got)
		}
	}
}
