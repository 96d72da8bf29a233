package history

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestImport_KilledThreeTimesEqualsOneThatWasNot(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "tidemark-lab")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "../../cmd/tidemark-lab")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkKilledImport(t, 30_000, program)
}

func TestImport_OfLateRowsCostsLittleMoreThanLiveBatches(t *testing.T) {
	t.Parallel()
	checkLateRows(t, 10_000)
}

// The program fails where a check fails, and removes what the check made.
func TestRun_ReturnsWhatAFailedCheckFound(t *testing.T) {
	var dir string
	var out strings.Builder
	err := run(t.Context(), &out, func(c checker) {
		dir = c.TempDir()
		c.Logf("%d rows", 7)
		c.Errorf("one difference")
		c.Fatal("no more rows")
	})
	if err == nil || err.Error() != "one difference\nno more rows" || out.String() != "7 rows\n" {
		t.Errorf("%v after %q", err, out.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory %q is left: %v", dir, err)
	}
}
