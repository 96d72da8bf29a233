package export

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const hour = model.Time(3_600_000)

// archived is a table with events of two sensors, ten and two days ago and now.
type archived struct {
	*testing.T
	table  *memory.Table
	source Source
	dir    string
}

func newArchived(t *testing.T) *archived {
	kinds, _ := newReadings(t, nil)
	a := &archived{T: t, table: memory.New(func() model.Time { return testNow }), dir: t.TempDir()}
	a.put("a", "", testNow-240*hour, "1.50")
	a.put("a", "", testNow-240*hour+1, "2")
	a.put("b", "s,1", testNow-48*hour, "3")
	a.put("b", "s,1", testNow-1, "4")
	list(t, a.table, device("a", "", 0), testNow-240*hour, testNow-240*hour)
	list(t, a.table, device("b", "s,1", 0), testNow-48*hour, testNow)
	a.source = newSource(t, a.table, kinds)
	return a
}

func (a *archived) put(id, stream string, at model.Time, value string) {
	a.Helper()
	attrs := model.Attrs{{Name: "note", Value: model.TextValue("5")},
		{Name: "temperature", Value: model.NumberValue(model.MustDecimal(value))}}
	e := model.Event{Series: device(id, stream, 0), Order: model.Order{At: at, ID: "i"}, Attrs: attrs,
		Hash: model.HashAttrs(attrs), ArrivedAt: at}
	if _, err := a.table.Put(a.Context(), e); err != nil {
		a.Fatal(err)
	}
}

func (a *archived) run(format string, change func(*Archive)) *Manifest {
	a.Helper()
	folder, err := files.At(a.Context(), a.dir)
	if err != nil {
		a.Fatal(err)
	}
	run := Archive{Source: a.source, Dataset: Events, Format: format, To: folder, Settle: DefaultSettle,
		Now: testNow}
	if change != nil {
		change(&run)
	}
	m, err := run.Run(a.Context())
	if err != nil {
		a.Fatal(err)
	}
	return m
}

func (a *archived) read(path string) string {
	a.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, path))
	if err != nil {
		a.Fatal(err)
	}
	return string(text)
}

func TestArchive_HasOneFileForEachDayWithEvents(t *testing.T) {
	a := newArchived(t)
	m := a.run("ndjson", nil)
	want := map[string]string{
		"events/kind=READING/day=2026-04-10/part.ndjson": `{"deviceId":"a","timestamp":"2026-04-10T14:30:00.000Z","id":"i","note":"5","temperature":1.5}
{"deviceId":"a","timestamp":"2026-04-10T14:30:00.001Z","id":"i","note":"5","temperature":2}
`,
		"events/kind=READING/day=2026-04-18/part.ndjson": `{"deviceId":"b","stream":"s,1","timestamp":"2026-04-18T14:30:00.000Z","id":"i","note":"5","temperature":3}
`,
		"events/kind=READING/day=2026-04-20/part.ndjson": `{"deviceId":"b","stream":"s,1","timestamp":"2026-04-20T14:29:59.999Z","id":"i","note":"5","temperature":4}
`,
	}
	if len(m.Files) != len(want) || m.Rows() != 4 {
		t.Errorf("the manifest lists %d files with %d rows: want %d with 4: %+v", len(m.Files), m.Rows(), len(want),
			m.Files)
	}
	for _, f := range m.Files {
		if got := a.read(f.Path); got != want[f.Path] {
			t.Errorf("%s:\n%s\nwant\n%s", f.Path, got, want[f.Path])
		}
		if complete := f.Partition == "2026-04-10"; f.Complete != complete {
			t.Errorf("%s: complete is %t", f.Path, f.Complete)
		}
	}
	if _, checked, err := CheckAll(t.Context(), a.dir); checked != 3 || err != nil {
		t.Errorf("checked %d files, %v", checked, err)
	}
}

func TestArchive_AnExportAfterAnotherReadsWhatWasNotComplete(t *testing.T) {
	a := newArchived(t)
	first := a.run("ndjson", nil)
	a.put("a", "", testNow-239*hour, "9") // late, into a complete file
	a.put("b", "s,1", testNow-47*hour, "9")
	planned := 0
	second := a.run("ndjson", func(r *Archive) { r.Plan = func(_, n int, _ float64) { planned = n } })
	if got, want := second.Rows(), first.Rows()+1; got != want || planned != 10 {
		t.Errorf("the second export has %d rows, planned %d files; want %d rows, and 10 files: "+
			"all days but the first", got, planned, want)
	}
	if full := a.run("ndjson", func(r *Archive) { r.Full = true }); full.Rows() != first.Rows()+2 {
		t.Errorf("a full export has %d rows, want %d", full.Rows(), first.Rows()+2)
	}
}

func TestArchive_ParquetAndCSVHaveTypedMeasuresAndExactFields(t *testing.T) {
	a := newArchived(t)
	a.run("parquet", nil)
	path := filepath.Join(a.dir, "events/kind=READING/day=2026-04-10/part.parquet")
	type row struct {
		Device      string  `parquet:"deviceId"`
		At          int64   `parquet:"timestamp"`
		Temperature float64 `parquet:"temperature"`
		Fields      string  `parquet:"fields"`
	}
	rows, err := parquet.ReadFile[row](path)
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if want := (row{
		Device: "a", At: int64(testNow - 240*hour), Temperature: 1.5,
		Fields: `{"note":"5","temperature":1.5}`,
	}); rows[0] != want {
		t.Errorf("got %+v\nwant %+v", rows[0], want)
	}
	a.dir = t.TempDir()
	a.run("csv", nil)
	if got, want := a.read("events/kind=READING/day=2026-04-18/part.csv"),
		`b,"s,1",2026-04-18T14:30:00.000Z,i,`; !strings.Contains(got, want) || !strings.Contains(got, `,"{""note"":""5"",""temperature"":3}"`) {
		t.Errorf("got\n%s", got)
	}
}

func TestArchive_RollupsAreSplitByMonth(t *testing.T) {
	a := newArchived(t)
	_, kind := newReadings(t, nil)
	for _, when := range []string{"2026-03-31T23:00:00Z", "2026-04-01T00:00:00Z"} {
		row := newRow(kind, device("a", "", 0), tier.Hour, when, "temperature", "1")
		putRow(t, a.table, &row)
	}
	list(t, a.table, device("a", "", 0), testNow-30*24*hour, testNow)
	m := a.run("parquet", func(r *Archive) { r.Dataset = RollupRows })
	if len(m.Files) != 2 || m.Files[0].Path != "rollups/kind=READING/month=2026-03/part.parquet" ||
		m.Files[1].Rows != 1 {
		t.Errorf("got %+v", m.Files)
	}
	rows, err := parquet.ReadFile[struct {
		Count int64   `parquet:"count"`
		Sum   float64 `parquet:"sum"`
		Exact bool    `parquet:"exact"`
	}](filepath.Join(a.dir, m.Files[0].Path))
	if err != nil || len(rows) != 1 || rows[0].Count != 1 || rows[0].Sum != 1 || !rows[0].Exact {
		t.Errorf("got %+v, %v", rows, err)
	}
}

func TestCheck_NamesFilesThatAreMissingOrChanged(t *testing.T) {
	a := newArchived(t)
	m := a.run("ndjson", nil)
	write := func(path, text string) {
		if err := os.WriteFile(filepath.Join(a.dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(a.dir, m.Files[0].Path)); err != nil {
		t.Fatal(err)
	}
	write(m.Files[1].Path, strings.Replace(a.read(m.Files[1].Path), "b", "c", 1))
	write(m.Files[2].Path, "")
	problems, _, err := CheckAll(t.Context(), a.dir)
	if got := strings.Join(problems, "\n"); err != nil || !strings.Contains(got, "is missing") ||
		!strings.Contains(got, "has another digest") || !strings.Contains(got, "has 0 bytes and not") {
		t.Errorf("got %q, %v", got, err)
	}
	if _, _, err := CheckAll(t.Context(), t.TempDir()); err == nil {
		t.Error("a folder without a manifest was checked")
	}
}

func TestArchive_AnExportThatFailsLeavesTheEarlierOne(t *testing.T) {
	a := newArchived(t)
	a.run("ndjson", nil)
	before := a.read("events/manifest.json")
	failed := errors.New("failed")
	folder, err := files.At(t.Context(), a.dir)
	if err != nil {
		t.Fatal(err)
	}
	broken := Events
	broken.read = func(Source, context.Context, *listed, model.Time, model.Time,
		func(entry) error) error {
		return failed
	}
	run := Archive{Source: a.source, Dataset: broken, Format: "ndjson", To: folder, Settle: DefaultSettle,
		Now: testNow}
	if _, err := run.Run(t.Context()); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the read", err)
	}
	if a.read("events/manifest.json") != before {
		t.Error("the manifest changed")
	}
	if problems, _, err := CheckAll(t.Context(), a.dir); len(problems) > 0 || err != nil {
		t.Errorf("%v, %v", problems, err)
	}
	if left, err := filepath.Glob(filepath.Join(a.dir, "events/kind=READING/*/.*")); len(left) > 0 ||
		err != nil {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	run.Format = "csv"
	if _, err := run.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--format ndjson") {
		t.Errorf("another format: %v", err)
	}
	write := os.WriteFile(filepath.Join(a.dir, "events/manifest.json"), []byte(`{"version":9}`), 0o600)
	if _, err := run.Run(t.Context()); write != nil || err == nil ||
		!strings.Contains(err.Error(), "version 9") {
		t.Errorf("a newer manifest: %v", err)
	}
	if _, err := folder.Open(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}
