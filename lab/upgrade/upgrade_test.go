package upgrade

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// The newest tagged release and this checkout share a table.
func TestUpgrade_FromTheNewestTagAndBack(t *testing.T) {
	testenv.LongOnly(t)
	t.Chdir("../..")
	tag, err := NewestTag(t.Context())
	if errors.Is(err, ErrNoTag) {
		t.Skip("skipped: no release is tagged yet; make upgrade FROM=COMMIT runs it from any commit")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), t.Output(), tag); err != nil {
		t.Error(err)
	}
}

// Each function reads what the other release's wrote, before and after it was the newer one.
func TestSteps_HaveEachPairOfReleases(t *testing.T) {
	seen := map[step]bool{}
	for _, s := range steps {
		s.says = ""
		seen[s] = true
	}
	if len(seen) != 4 {
		t.Errorf("the steps have %v, want each release of ingest with each of the others", seen)
	}
	isOld := func(s step) bool { return s.ingest == oldRelease && s.others == oldRelease }
	back := slices.IndexFunc(steps[1:], isOld)
	if last := steps[len(steps)-1]; back < 2 || last.ingest != newRelease || last.others != newRelease {
		t.Errorf("%v: want the way back between two upgrades", steps)
	}
}

func TestSplit_PartsHaveEveryRowOnceInOrder(t *testing.T) {
	dir := t.TempDir()
	whole, err := split("../../"+data, dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := read(t, whole[0])
	parts, err := split("../../"+data, dir, len(steps))
	if err != nil {
		t.Fatal(err)
	}
	got := want[:1:1]
	for _, path := range parts {
		part := read(t, path)
		if !slices.Equal(part[0], want[0]) || len(part) < len(want)/len(steps) {
			t.Errorf("%s: %d rows after the header %v", filepath.Base(path), len(part)-1, part[0])
		}
		got = append(got, part[1:]...)
	}
	if len(want) < 1000 || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the parts have %d rows, the whole %d, or others", len(got), len(want))
	}
}

func TestSplit_SaysThatAFileIsTooShort(t *testing.T) {
	_, err := split("../../"+data, t.TempDir(), 1<<30)
	if err == nil || !strings.Contains(err.Error(), "want a header and a row for each") {
		t.Errorf("got %v, want an error that says what the file must have", err)
	}
}

func read(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
