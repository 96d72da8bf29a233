package history

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/data/files"
)

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
