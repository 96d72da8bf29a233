package fleet

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// The same with the code of the functions on a table in memory, with every fault of delivery.
func TestGroups_InProcessEqualDuckDB(t *testing.T) {
	t.Parallel()
	f := Fleet{Devices: 210, Hours: 3, Every: 20 * time.Minute, Seed: 1, InProcess: true,
		Python: filepath.Join("..", "..", "build", "venv", "bin", "python")}
	if err := exec.Command(f.Python, "-c", "import duckdb").Run(); err != nil {
		testenv.Missing(t, "python",
			"DuckDB is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	r, err := f.Play(t.Context())
	if err == nil {
		err = r.Err()
	}
	if err != nil || r.Stats.Again == 0 || r.Stats.Recut == 0 || r.Stats.Kills == 0 || r.Units.events == 0 {
		t.Errorf("%v\n%s", err, r)
	}
}

// A reading counts in three groups. One group costs at most 0.05 write and 0.05 read units an event at one
// reading a minute, of which one in a hundred is late.
func TestGroups_CostLittleBesideTheirMembers(t *testing.T) {
	t.Parallel()
	const groups = 3
	without, with := calmUnits(t, "kinds: {READING: {}}\n"), calmUnits(t, settings)
	t.Logf("without groups: %s", without)
	t.Logf("with groups: %s", with)
	n := groups * float64(with.events)
	write, read := (with.write-without.write)/n, (with.read-without.read)/n
	t.Logf("one group: %.3f write and %.3f read units an event", write, read)
	if with.events != without.events || write <= 0 || write > 0.05 || read <= 0 || read > 0.05 {
		t.Errorf("one group costs %.3f write and %.3f read units an event, want at most 0.05 of each", write, read)
	}
}

// calmUnits returns the units of hours without faults.
func calmUnits(t *testing.T, settings string) units {
	t.Helper()
	f := Fleet{Devices: 200, Hours: 3, Every: time.Minute, Seed: 1}
	p, err := f.newInProcess(settings)
	if err != nil {
		t.Fatal(err)
	}
	p.calm = true
	if _, err := f.sendInProcess(t.Context(), p, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return p.units
}

// Hours, days and lists of members of sites, lines and models are equal to DuckDB's, which finds a reading
// that the stack does not have.
func TestGroups_EqualDuckDB(t *testing.T) {
	t.Parallel()
	f := Fleet{Devices: 210, Hours: 3, Every: 20 * time.Minute, Seed: 1,
		Python: filepath.Join("..", "..", "build", "venv", "bin", "python")}
	if err := exec.Command(f.Python, "-c", "import duckdb").Run(); err != nil {
		testenv.Missing(t, "python", "DuckDB is not installed: scripts/venv.sh installs it if it can reach PyPI")
	}
	functions, err := stack.FindStackBinaries(t.Context(), config.Default())
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f.Functions = functions
	r, err := f.record(t.Context(), dir)
	if err == nil {
		err = r.compare(t.Context(), f.Python, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Err(); err != nil || r.Stats.Again == 0 || r.Stats.Recut == 0 || r.Stats.Kills == 0 {
		t.Errorf("%v\n%s", err, r)
	}

	path := filepath.Join(dir, "readings.ndjson")
	sent, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(sent), "\n")
	if err := os.WriteFile(path, []byte(first+"\n"+first+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.compare(t.Context(), f.Python, dir); err != nil {
		t.Fatal(err)
	}
	// An hour and a day of a site, a line and a model, and lists by sum and count of the hours.
	if r.Err() == nil || len(r.Wrong) < 6 {
		t.Errorf("one reading more than the stack has makes %d differences: %q", len(r.Wrong), r.Wrong)
	}
}
