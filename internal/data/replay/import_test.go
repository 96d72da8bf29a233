package replay

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func testImport(t *testing.T, text string) (*Import, string) {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "history.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Import{
		Input:   formats.Input{Kind: &kinds.Kinds[0]},
		Sender:  &Sender{URL: "http://127.0.0.1:1", Batch: 10, Lanes: 2},
		Journal: filepath.Join(t.TempDir(), "journal"), Limits: config.Default().Limits,
		Now: func() model.Time { return 1_776_695_400_000 },
	}, name
}

func TestImport_ADryRunPrintsWhatWouldBeStored(t *testing.T) {
	run, name := testImport(t,
		"deviceId,timestamp,temperature\na,2026-04-20T14:00:00Z,1\na,2026-04-20T13:00:00Z,2\nb,2026-04-20T14:00:00Z,3\n,2026-04-20T14:00:00Z,4\nc,2026-04-20T14:00:00Z,5,6\n")
	run.DryRun = true
	var out strings.Builder
	rejected, err := run.Run(t.Context(), []string{name}, &out, io.Discard)
	if err != nil || rejected != 2 {
		t.Errorf("%d rejected, %v; want 2", rejected, err)
	}
	// Three events of four units, and hours, days and months: 3 + 2 + 2.
	for _, want := range []string{"3 rows of 2 subjects would be stored, 2 rejected",
		"2026-04-20T13:00:00.000Z to 2026-04-20T14:00:00.000Z", "$0.00: 19 write units", "7 of them", ":5: deviceId: missing", ":6: 4 cells"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, err := os.Stat(run.Journal); err == nil {
		t.Error("a dry run wrote a journal")
	}
}

func TestImport_ADryRunCountsRowsWithoutAnIdentityOfTheirOwn(t *testing.T) {
	run, name := testImport(t,
		"deviceId,timestamp,temperature\na,2026-04-20,1\na,2026-04-20,2\nb,2026-04-20,3\n")
	run.DryRun = true
	run.Input.Clock.Zone = time.UTC
	var out strings.Builder
	_, err := run.Run(t.Context(), []string{name}, &out, io.Discard)
	got := out.String()
	if err != nil || !strings.Contains(got, "again   1 rows") || !strings.Contains(got, ":3, and are no") {
		t.Errorf("%v, want the row with the time of another:\n%s", err, got)
	}
}

func TestImport_RefusesAJournalOfAnotherInput(t *testing.T) {
	run, name := testImport(t, "deviceId,timestamp,temperature\na,2026-04-20T14:00:00Z,1\n")
	for text, want := range map[string]string{"{": "no journal of an import",
		`{"input":"x"}`: "the journal of another import"} {
		if err := os.WriteFile(run.Journal, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Run(t.Context(), []string{name}, io.Discard, io.Discard); !usererr.Is(err) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("journal %s: %v, want %q", text, err, want)
		}
	}
}

func TestImport_RefusesWhatItCannotReadAgain(t *testing.T) {
	run, name := testImport(t, "")
	for _, file := range []string{formats.StdinName, name + ".none", "s3://"} {
		if _, err := run.Run(t.Context(), []string{file}, io.Discard, io.Discard); !usererr.Is(err) {
			t.Errorf("%s: %v, want a usage error", file, err)
		}
	}
}

// The same command would be refused again: there is nothing to continue.
func TestImport_AFileThatIsNotReadLeavesNoJournal(t *testing.T) {
	run, name := testImport(t, "what,when\na,2026-04-20T14:00:00Z\n")
	var log strings.Builder
	_, err := run.Run(t.Context(), []string{name}, io.Discard, &log)
	if !usererr.Is(err) || strings.Contains(log.String(), "run the same command again") {
		t.Errorf("%v\n%s", err, log.String())
	}
	if _, err := os.Stat(run.Journal); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a journal is left: %v", err)
	}
}

func TestImport_AFailureLeavesTheJournal(t *testing.T) {
	run, name := testImport(t, "deviceId,timestamp,temperature\na,2026-04-20T14:00:00Z,1\n")
	run.Sender.URL = "://no url" // fails at once: nothing to repeat
	var log strings.Builder
	if _, err := run.Run(t.Context(), []string{name}, io.Discard, &log); err == nil ||
		!strings.Contains(log.String(), "run the same command again") {
		t.Errorf("%v\n%s", err, log.String())
	}
	if text, err := os.ReadFile(run.Journal); err != nil ||
		!strings.Contains(string(text), `"total":1,"done":0`) {
		t.Errorf("the journal is %s, %v", text, err)
	}
}
