package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/data/export"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const site = "example.com"

func websites(t *testing.T) *catalog.Catalog {
	t.Helper()
	kinds, err := catalog.New(web.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func (d *deployment) kind(name string) *catalog.Kind {
	d.Helper()
	kind, found := d.kinds.Kind(name)
	if !found {
		d.Fatalf("no kind %s", name)
	}
	return kind
}

// load imports files of events of a kind, and returns what was printed and the rows of the rejected.
func (d *deployment) load(kind string, analytics *formats.Web, names ...string) (out, rejected string) {
	d.Helper()
	var printed strings.Builder
	k, journal := d.kind(kind), filepath.Join(d.TempDir(), "journal")
	run := replay.Import{
		Input:  formats.Input{Kind: k, Web: analytics},
		Sender: &replay.Sender{URL: d.url + "/" + k.Path, Batch: 100, Lanes: 2}, Journal: journal,
	}
	if _, err := run.Run(d.Context(), names, &printed, io.Discard); err != nil {
		d.Fatal(err)
	}
	text, err := os.ReadFile(journal + ".rejected.csv")
	if err != nil && !os.IsNotExist(err) {
		d.Fatal(err)
	}
	return printed.String(), string(text)
}

// marked is an address, and a part of a user agent, that may be in no item.
const marked, markedAgent = "198.51.100.77", "Firefox/130.0"

// oldLog writes a combined log that begins two years ago: views of four visitors in several hours, days
// and months, of which two are equal lines, files that are no pages, a crawler, and a line cut short.
func oldLog(t *testing.T) (name string, pageViews, sessions int) {
	t.Helper()
	var b bytes.Buffer
	last := map[string]time.Time{} // view of a visitor on a day
	start := now.Time().AddDate(-2, 0, 0)
	for i := range 120 {
		viewed := start.Add(time.Duration(i*i) * 5 * time.Minute)
		at := viewed.Format("02/Jan/2006:15:04:05 -0700")
		path, agent := []string{"/", "/pricing?utm_source=spring", "/docs"}[i%3],
			"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 "+markedAgent
		if i%10 == 9 {
			agent = "Mozilla/5.0 (compatible; Googlebot/2.1)"
		} else {
			pageViews++
			visitor := fmt.Sprint(i%4, viewed.Format(time.DateOnly))
			if viewed.Sub(last[visitor]) > 30*time.Minute {
				sessions++
			}
			last[visitor] = viewed
		}
		fmt.Fprintf(&b, "%s.%d - - [%s] \"GET %s HTTP/1.1\" 200 %d \"-\" \"%s\"\n", marked, i%4, at, path, 1000+i,
			agent)
		fmt.Fprintf(&b, "%s.%d - - [%s] \"GET /app.js HTTP/1.1\" 200 9 \"-\" \"%s\"\n", marked, i%4, at, agent)
		if i == 50 {
			line := bytes.Split(b.Bytes(), []byte("\n"))
			b.Write(append(slices.Clone(line[2*i]), '\n'))
			pageViews++
		}
	}
	b.WriteString(marked + ".1 - - [cut\n")
	name = filepath.Join(t.TempDir(), "access.log")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, pageViews, sessions
}

func TestWebsites_LogsOfTwoYearsAgoAreOnEveryChartAndInEveryExport(t *testing.T) {
	t.Parallel()
	d := deploy(t, websites(t))
	name, pageViews, sessions := oldLog(t)
	combined := &formats.Web{Format: "combined", Site: site, Secret: []byte("secret")}
	out, rejected := d.load(web.PageViews.Name, combined, name)
	if !strings.Contains(out, fmt.Sprintf("  %-10s %12d", "applied", pageViews+12)) ||
		!strings.Contains(rejected, "access.log:242,") {
		t.Fatalf("the first import: %s\nrejected: %s", out, rejected)
	}
	if out, _ := d.load(web.PageViews.Name, combined, name); !strings.Contains(out,
		fmt.Sprintf("  %-10s %12d", "duplicate", pageViews+12)) || strings.Contains(out, "applied") {
		t.Errorf("the second import: %s", out)
	}
	d.fold()

	from, to := model.NewTime(now.Time().AddDate(-2, -1, 0)), now
	kind := d.kind(web.PageViews.Name)
	want := map[tier.Unit]int64{}
	for _, level := range kind.Retention.Tiers {
		want[level.Unit] = int64(pageViews)
	}
	source := d.source()
	charts := map[tier.Unit]int64{}
	tops := map[tier.Unit]int64{}
	exported := map[tier.Unit]int64{}
	for unit := range want {
		rows := query.Rollups{Series: query.Series{Kind: kind, Subject: site}, Unit: unit, From: from, To: to}
		curve, err := source.Query.Chart(t.Context(), query.Chart{Rollups: withLimit(rows, 1<<21)})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range curve.Rollups {
			charts[unit] += r.Summary.Events()
		}
		for r, err := range source.Query.EachRollup(t.Context(), rows) {
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range views.NewValueRows(&r, 0) {
				if v.Field == webfield.Path && v.Distinct == nil {
					tops[unit] += v.Events
				}
			}
		}
		exported[unit] = exportedViews(t, source, unit)
	}
	// The chart that chooses its tier by itself.
	curve, err := source.Query.Chart(t.Context(),
		query.Chart{Rollups: query.Rollups{Series: query.Series{Kind: kind, Subject: site}, From: from, To: to},
			Stitched: true})
	if err != nil {
		t.Fatal(err)
	}
	var stitched int64
	for _, r := range curve.Rollups {
		stitched += r.Summary.Events()
	}
	if stitched != int64(pageViews) {
		t.Errorf("the chart of all time has %d views, want %d: %s", stitched, pageViews, curve.Reason)
	}
	for what, got := range map[string]map[tier.Unit]int64{"charts": charts, "tops of pages": tops,
		"exports": exported} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s of each tier (-want +got):\n%s", what, diff)
		}
	}
	visits := d.kind(web.Sessions.Name)
	for _, level := range visits.Retention.Tiers {
		n := int64(0)
		for r, err := range source.Query.EachRollup(t.Context(),
			query.Rollups{Series: query.Series{Kind: visits, Subject: site}, Unit: level.Unit, From: from, To: to}) {
			if err != nil {
				t.Fatal(err)
			}
			n += r.Summary.Events()
		}
		if n != int64(sessions) {
			t.Errorf("%d sessions by %s, want %d", n, level.Unit, sessions)
		}
	}
	d.each(func(it item.Item) {
		if text := fmt.Sprint(it); strings.Contains(text, marked) || strings.Contains(text, markedAgent) {
			t.Errorf("an item has an address or a user agent: %v", it.Key())
		}
	})
}

func withLimit(r query.Rollups, limit int) query.Rollups {
	r.Limit = limit
	return r
}

// exportedViews returns the views of people by the values of their paths, in an export of a tier.
func exportedViews(t *testing.T, source export.Source, unit tier.Unit) (n int64) {
	t.Helper()
	var out bytes.Buffer
	if err := source.Rollups(t.Context(), &out, unit.String(), "ndjson", nil); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var row struct {
			Kind, Stream, Tier, Field string
			Events                    int64
		}
		if err := json.Unmarshal(line, &row); err != nil || row.Tier != unit.String() {
			t.Fatalf("%s: %v", line, err)
		}
		if row.Kind == web.PageViews.Name && row.Stream == "" && row.Field == webfield.Path {
			n += row.Events
		}
	}
	return n
}

// Page views and custom events are exported; sessions are folded from them again.
func TestWebsites_ExportedAndImportedHaveTheSameRollups(t *testing.T) {
	t.Parallel()
	from := deploy(t, websites(t))
	name, _, _ := oldLog(t)
	from.load(web.PageViews.Name, &formats.Web{Format: "combined", Site: site, Secret: []byte("secret")}, name)
	custom := filepath.Join(t.TempDir(), "events.ndjson")
	text := `{"siteId":"example.com","timestamp":"2026-04-19T10:00:00.001Z","id":"e1","name":"Purchase","visitor":"v1","path":"/cart","revenue_EUR":19.90,"prop1":"Purchase?plan=\"pro\", yearly"}
{"siteId":"example.com","timestamp":"2026-04-19T10:05:00Z","id":"e2","visitor":"v1","duration":1200,"depth":80}
{"siteId":"example.com","stream":"imported","timestamp":"2024-04-19T10:05:00Z","id":"e3","name":"007","visitor":"1e2"}
`
	if err := os.WriteFile(custom, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	from.load(web.CustomEvents.Name, nil, custom)
	from.fold()
	want, events := from.rollups(), from.events()
	rows := map[string]int{}
	for key := range want {
		row, err := keys.ParseRow(key)
		if err != nil {
			t.Fatal(err)
		}
		rows[row.Series.Kind]++
	}
	if rows[web.PageViews.Name] < 100 || rows[web.CustomEvents.Name] < 6 || rows[web.Sessions.Name] < 50 {
		t.Fatalf("rows of each kind: %v", rows)
	}
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		dir, exported := from.export(format)
		to := deploy(t, from.kinds)
		for _, kind := range []string{web.PageViews.Name, web.CustomEvents.Name} {
			names, err := files.Names(t.Context(), []string{filepath.Join(dir, "events", "kind="+kind)})
			if err != nil {
				t.Fatal(err)
			}
			to.load(kind, nil, names...)
		}
		to.fold()
		if diff := cmp.Diff(events, to.events()); diff != "" {
			t.Errorf("%s: events (-exported +imported)\n%s", format, diff)
		}
		if diff := cmp.Diff(want, to.rollups()); diff != "" {
			t.Errorf("%s: rollups (-exported +imported)\n%s", format, diff)
		}
		if _, again := to.export(format); !slices.Equal(again.Files, exported.Files) {
			t.Errorf("%s: exported again: the digests differ", format)
		}
	}
}
