// Package history checks imports and exports of history: processes that are killed, and tables
// that are exported and imported again. The program of make history imports more rows than the tests.
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
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/data/export"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const now = model.Time(1_776_695_400_000) // 2026-04-20T14:30:00Z

func clock() model.Time { return now }

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
		Input:  formats.Input{Kind: &readings().Kinds[0]},
		Sender: &replay.Sender{URL: url, Batch: 100, Lanes: 4}, Journal: journal,
	}
	_, err := run.Run(ctx, names, &out, io.Discard)
	return out.String(), err
}

// deployment is a table behind an HTTP API that appends.
type deployment struct {
	checker
	*memory.Table
	kinds *catalog.Catalog
	url   string
}

func newDeployment(t checker) *deployment { return deploy(t, readings()) }

// deploy returns a deployment that appends the events of a request to the kind that its path
// names, or the first.
func deploy(t checker, kinds *catalog.Catalog) *deployment {
	d := &deployment{checker: t, Table: memory.New(clock), kinds: kinds}
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
	responses := make([]views.AppendResult, len(results))
	for i := range results {
		responses[i] = views.NewAppendResult(results[i])
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
	if err := tablescan.Each(d.Context(), d.Table, func(it item.Item) error {
		visit(it)
		return nil
	}); err != nil {
		d.Fatal(err)
	}
}

// fold writes all rollups and the list of series.
func (d *deployment) fold() {
	d.Helper()
	a := &aggregate.Aggregator{Store: d.Table, QuarantineStore: d.Table, Catalog: d.kinds, Now: clock,
		Rand:  rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	rebuild := &repair.Repairer{Table: d.Table, Catalog: d.kinds, Aggregator: a, Mark: aggregate.MarkNone,
		MaxNotes: 9}
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
	live := &query.Live{
		Store: d.Table, Watermarks: d.Table, Stream: d.Table, Kind: query.CatalogKinds(d.kinds), Now: clock,
	}
	return export.Source{Query: &query.Service{Store: live, Now: clock}, Catalog: d.kinds, Parallel: 4}
}

func (d *deployment) export(format string) (dir string, m *export.Manifest) {
	d.Helper()
	dir = d.TempDir()
	return dir, d.exportTo(dir, export.Events, format)
}

func (d *deployment) exportTo(dir string, of export.Dataset, format string) *export.Manifest {
	d.Helper()
	folder, err := files.At(d.Context(), dir)
	if err != nil {
		d.Fatal(err)
	}
	run := export.Archive{
		Source:  d.source(),
		Dataset: of, Format: format, To: folder, Settle: export.DefaultSettle, Now: now,
	}
	m, err := run.Run(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	return m
}

// writeCSV writes rows of 50 sensors over six days; every 97th row has no sensor, and every
// 991st has too many cells.
func writeCSV(t checker, rows int) string {
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

// checkKilledImport imports n rows by processes that are killed, and compares the result with an import that
// was not. program is the command line of the process, before its arguments.
func checkKilledImport(t checker, n int, program ...string) {
	file := writeCSV(t, n)
	whole, killed := newDeployment(t), newDeployment(t)
	wholeJournal, journal := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	if _, err := load(t.Context(), whole.url, wholeJournal, file); err != nil {
		t.Fatal(err)
	}
	for done := int64(0); done < 3; done++ {
		killDuring(t, journal, append(slices.Clone(program), importName, killed.url, journal, file))
	}
	out, err := load(t.Context(), killed.url, journal, file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(whole.events(), killed.events()); diff != "" || len(killed.events()) < n/30*29 {
		t.Errorf("%d events: (-whole +killed)\n%s", len(killed.events()), diff)
	}
	if a, b := read(t, wholeJournal+".rejected.csv"),
		read(t, journal+".rejected.csv"); a != b || strings.Count(a, "\n") < n/91 {
		t.Errorf("the rejected rows differ:\n%.300s\nkilled:\n%.300s", a, b)
	}
	if want := " sent again after a lost response"; !strings.Contains(out, want) ||
		!strings.Contains(out, "are in "+journal) {
		t.Errorf("the last process printed\n%s\nwant%s", out, want)
	}
	for _, left := range []string{wholeJournal, journal} {
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the journal of a finished import is left: %v", err)
		}
	}
}

// killDuring starts an import and kills it after its journal has made progress.
func killDuring(t checker, journal string, command []string) {
	t.Helper()
	before := done(journal)
	process := exec.Command(command[0], command[1:]...)
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

func read(t checker, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
