// Package history tests imports and exports of history: processes that are killed, and tables
// that are exported and imported again.
package history

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/export"
	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/repair/verify"
	"github.com/tidemark-db/tidemark/internal/replay"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/internal/tablescan"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const now = model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z

func clock() model.Time { return now }

// TestMain imports files if TIDEMARK_COMMAND has the URL, the journal and the files.
func TestMain(m *testing.M) { testenv.Main(m, command) }

func command(args []string) {
	if _, err := load(context.Background(), args[0], args[1], args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readings() *catalog.Catalog {
	kinds, err := catalog.New(iot.Readings)
	if err != nil {
		panic(err)
	}
	return kinds
}

func load(ctx context.Context, url, journal string, names ...string) (string, error) {
	var out strings.Builder
	run := replay.Import{
		Input:  replay.Input{Kind: &readings().Kinds[0]},
		Sender: replay.Sender{URL: url, Batch: 100, Lanes: 4}, Journal: journal,
	}
	_, err := run.Run(ctx, names, &out, io.Discard)
	return out.String(), err
}

// deployment is a table behind an HTTP API that appends.
type deployment struct {
	*testing.T
	*memory.Table
	kinds *catalog.Catalog
	url   string
}

func newDeployment(t *testing.T) *deployment { return newDeploymentOf(t, readings()) }

// newDeploymentOf returns a deployment that appends the events of a request to the kind that its path
// names, or the first.
func newDeploymentOf(t *testing.T, kinds *catalog.Catalog) *deployment {
	d := &deployment{T: t, Table: memory.New(clock), kinds: kinds}
	service := &ingest.Service{Store: d.Table, Limits: config.Default().Limits, Now: clock, Rand: crand.Reader}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the process was killed
		}
		// A request that was received is processed, even if its sender is dead.
		kind, ok := kinds.ByPath(strings.TrimPrefix(r.URL.Path, "/"))
		if !ok {
			kind = &kinds.Kinds[0]
		}
		respond(w, service, kind, body)
	}))
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// respond appends the lines of a request.
func respond(w http.ResponseWriter, service *ingest.Service, kind *catalog.Kind, body []byte) {
	observations, err := ingest.DecodeLines(body, 1000)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	results, err := service.Append(context.Background(), kind, observations...)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	responses := make([]httpapi.AppendResult, len(results))
	for i := range results {
		responses[i] = httpapi.AppendResultOf(results[i])
	}
	_ = json.NewEncoder(w).Encode(responses) // the sender may be dead
}

// events returns the fields of every stored event by its key.
func (d *deployment) events() map[keys.Key]string {
	found := map[keys.Key]string{}
	d.each(func(it item.Item) {
		if e, err := item.Event(it); err == nil {
			found[it.Key()] = fmt.Sprint(e.Attrs)
		}
	})
	return found
}

// rollups returns the bytes of every rollup by its key.
func (d *deployment) rollups() map[keys.Key][]byte {
	found := map[keys.Key][]byte{}
	d.each(func(it item.Item) {
		if _, err := keys.ParseRow(it.Key()); err == nil {
			found[it.Key()] = it[tablekeys.AttrSummary].B
		}
	})
	return found
}

func (d *deployment) each(visit func(item.Item)) {
	d.Helper()
	if err := tablescan.Each(d.Context(), d.Table, func(it item.Item) error { visit(it); return nil }); err != nil {
		d.Fatal(err)
	}
}

// fold writes all rollups and the list of series.
func (d *deployment) fold() {
	d.Helper()
	a := &aggregate.Aggregator{Store: d.Table, QuarantineStore: d.Table, Catalog: d.kinds, Now: clock, Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	rebuild := &repair.Repairer{Table: d.Table, Catalog: d.kinds, Aggregator: a, Mark: aggregate.MarkNone, MaxNotes: 9}
	at, err := repair.OpenCheckpoint("", "", clock)
	if err != nil {
		d.Fatal(err)
	}
	if _, err := rebuild.Rebuild(d.Context(), verify.Scope{Span: verify.Always}, at); err != nil {
		d.Fatal(err)
	}
}

// source is what exports read.
func (d *deployment) source() export.Source {
	live := &query.Live{Store: d.Table, Watermarks: d.Table, Kind: query.KindsOf(d.kinds), Now: clock}
	return export.Source{Query: &query.Service{Store: live, Now: clock}, Catalog: d.kinds, Parallel: 4}
}

func (d *deployment) export(format string) (dir string, m *export.Manifest) {
	d.Helper()
	dir = d.TempDir()
	folder, err := files.At(d.Context(), dir)
	if err != nil {
		d.Fatal(err)
	}
	run := export.Archive{
		Source:  d.source(),
		Dataset: export.Events, Format: format, To: folder, Settle: export.DefaultSettle, Now: now,
	}
	if m, err = run.Run(d.Context()); err != nil {
		d.Fatal(err)
	}
	return dir, m
}

// writeCSV writes rows of 50 sensors over six days; every 97th row has no sensor, and every
// 991st has too many cells.
func writeCSV(t *testing.T, rows int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("deviceId,timestamp,temperature,note\n")
	for i := range rows {
		device := fmt.Sprintf("sensor_%02d", i%50)
		if i%97 == 0 {
			device = ""
		}
		fmt.Fprintf(&b, "%s,%s,%d.%d,n%d", device, now.Add(-time.Duration(rows-i)*17*time.Second), i%40, i%10, i%7)
		if i%991 == 0 {
			b.WriteString(",,one more")
		}
		b.WriteByte('\n')
	}
	name := filepath.Join(t.TempDir(), "history.csv")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// rows returns how many rows a test imports: fewer, or as many as TIDEMARK_ROWS says.
func rows(fewer int) int {
	if n, err := strconv.Atoi(os.Getenv("TIDEMARK_ROWS")); err == nil {
		return n
	}
	return fewer
}

func TestImport_KilledThreeTimesEqualsOneThatWasNot(t *testing.T) {
	t.Parallel()
	n := rows(30_000)
	file := writeCSV(t, n)
	whole, killed := newDeployment(t), newDeployment(t)
	wholeJournal, journal := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	if _, err := load(t.Context(), whole.url, wholeJournal, file); err != nil {
		t.Fatal(err)
	}
	for done := int64(0); done < 3; done++ {
		killDuring(t, killed.url, journal, file)
	}
	out, err := load(t.Context(), killed.url, journal, file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole.events(), killed.events()); diff != "" || len(killed.events()) < n/30*29 {
		t.Errorf("%d events: (-whole +killed)\n%s", len(killed.events()), diff)
	}
	if a, b := read(t, wholeJournal+".rejected.csv"), read(t, journal+".rejected.csv"); a != b || strings.Count(a, "\n") < n/91 {
		t.Errorf("the rejected rows differ:\n%.300s\nkilled:\n%.300s", a, b)
	}
	if want := " sent again after a lost response"; !strings.Contains(out, want) || !strings.Contains(out, "are in "+journal) {
		t.Errorf("the last process printed\n%s\nwant%s", out, want)
	}
	for _, left := range []string{wholeJournal, journal} {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the journal of a finished import is left: %v", err)
		}
	}
}

// killDuring starts an import and kills it after its journal has made progress.
func killDuring(t *testing.T, url, journal, file string) {
	t.Helper()
	before := done(journal)
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), "TIDEMARK_COMMAND="+strings.Join([]string{url, journal, file}, " "))
	process.Stderr = os.Stderr
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Minute) // it reads the file once before it sends
	for done(journal) <= before && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	_ = process.Process.Kill()
	if err := process.Wait(); err == nil {
		t.Fatal("the process ended before it was killed: import more rows")
	}
	if after := done(journal); after <= before {
		t.Fatalf("no progress: %d observations before, %d after", before, after)
	}
}

// done returns how many observations a journal has counted.
func done(journal string) int64 {
	var state struct{ Done int64 }
	text, err := os.ReadFile(journal)
	if err != nil || json.Unmarshal(text, &state) != nil {
		return 0
	}
	return state.Done
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExport_ImportedIntoAnEmptyTableGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	from := newDeployment(t)
	if _, err := load(t.Context(), from.url, filepath.Join(t.TempDir(), "j"), writeCSV(t, 3_000)); err != nil {
		t.Fatal(err)
	}
	texts := from.url // a value that looks like a number, and names that JSON escapes
	postLine(t, texts, `{"deviceId":"a,\"<b>","stream":"s","timestamp":"2026-04-19T10:00:00.001Z","id":"x/1","temperature":"1e2","humidity":0.1000,"note":"007","on":true}`)
	from.fold()
	want, events := from.rollups(), from.events()
	for _, format := range []string{"ndjson", "csv", "parquet"} {
		dir, exported := from.export(format)
		names, err := files.Names(t.Context(), []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		to := newDeployment(t)
		if out, err := load(t.Context(), to.url, filepath.Join(t.TempDir(), "j"), names...); err != nil {
			t.Fatal(out, err)
		}
		to.fold()
		if diff := cmp.Diff(events, to.events()); diff != "" {
			t.Errorf("%s: events (-exported +imported)\n%s", format, diff)
		}
		if diff := cmp.Diff(want, to.rollups()); diff != "" || len(want) < 100 {
			t.Errorf("%s: %d rollups (-exported +imported)\n%s", format, len(want), diff)
		}
		if _, again := to.export(format); !slices.Equal(again.Files, exported.Files) {
			t.Errorf("%s: exported again: the digests differ", format)
		}
	}
}

func postLine(t *testing.T, url, line string) {
	t.Helper()
	resp, err := http.Post(url, "application/x-ndjson", strings.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), `"applied"`) {
		t.Fatalf("%s", body)
	}
}
