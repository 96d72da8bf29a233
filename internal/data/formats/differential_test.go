package formats

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Files that Python's csv and json write have the values that Python wrote: texts with quotes, line ends and
// separators in each dialect, numbers with each digit.
func TestFiles_HaveWhatPythonWrote(t *testing.T) {
	t.Parallel()
	comparePython(t, 1, 60)
	if testenv.Long() {
		t.Run("fresh seed", func(t *testing.T) { comparePython(t, testenv.Seed(t), 2000) })
	}
}

// comparePython reads files that a Python program writes, and compares the rows with those that it prints.
func comparePython(t *testing.T, seed uint64, files int) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		testenv.Missing(t, "python", "python3 is not installed")
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := exec.CommandContext(t.Context(), python, "testdata/differential.py",
		strconv.FormatUint(seed, 10), strconv.Itoa(files), folder)
	program.Stderr = os.Stderr
	printed, err := program.Output()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.Lines(string(printed)) {
		var want struct {
			Name string
			Rows []map[string]*string
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		in := Input{Kind: &kinds.Kinds[0], Lenient: true, Mark: columns.Point} // 1.234 alone does not say
		var rows []map[string]*string
		err := in.Each([]string{filepath.Join(folder, want.Name)}, func(o Observation) error {
			rows = append(rows, fieldTexts(o))
			return nil
		})
		sameNumbers := cmp.Comparer(func(a, b string) bool {
			x, errX := model.ParseDecimal(a)
			y, errY := model.ParseDecimal(b)
			return a == b || errX == nil && errY == nil && x == y
		})
		if diff := cmp.Diff(want.Rows, rows, sameNumbers); err != nil || diff != "" {
			t.Errorf("seed %d, %s: %v (-Python +read):\n%s", seed, want.Name, err, diff)
		}
		read++
	}
	if read != files {
		t.Errorf("%d files, want %d", read, files)
	}
}

// fieldTexts returns the fields of an observation but its subject and time; nil is no value.
func fieldTexts(o Observation) map[string]*string {
	row := map[string]*string{}
	if o.Problem != "" {
		row["problem"] = &o.Problem
	}
	for _, f := range ingest.DecodeObject(o.Body).Fields {
		switch {
		case f.Name == "deviceId" || f.Name == "timestamp":
		case f.Form == ingest.NullForm:
			row[f.Name] = nil
		default:
			row[f.Name] = &f.Text
		}
	}
	return row
}
