package oracle

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/lab/overlay"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const root = "../.."

// device is the logger whose rows the tests replay: 5,239 readings, 1,894 of them redelivered.
const device = "gwi_w_411"

func TestRollups_EqualTheOracle(t *testing.T) {
	result, counter := replay(t, "", "")
	if result.Equal != result.Buckets || len(result.Wrong) > 0 {
		t.Errorf("%d of %d buckets equal; first: %.5q", result.Equal, result.Buckets, result.Wrong)
	}
	if counter == 0 {
		t.Errorf("the plain counter is right in all buckets: delivery was not disturbed")
	}
}

func TestOracle_DetectsAnAggregatorThatAdds(t *testing.T) {
	testenv.LongOnly(t)
	functions := t.TempDir()
	built, err := filepath.Abs(filepath.Join(root, "build", "local"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(built)
	if err != nil {
		testenv.Missing(t, "binaries", "the functions are not built: run make build-local")
	}
	for _, n := range names { // only aggregate is another one
		if n.Name() == "aggregate" {
			continue
		}
		if err := os.Symlink(filepath.Join(built, n.Name()), filepath.Join(functions, n.Name())); err != nil {
			t.Fatal(err)
		}
	}
	build(t, "-tags", "lambda.norpc", "-overlay", addingOverlay(t), "-o", filepath.Join(functions, "aggregate",
		"bootstrap"), "./functions/aggregate")
	result, counter := replay(t, functions, "2024-09-08")
	if len(result.Wrong) == 0 {
		t.Errorf("all %d buckets are equal: the oracle does not detect an aggregator that adds", result.Buckets)
	}
	for _, sentence := range result.Wrong {
		if !strings.Contains(sentence, "count") && !strings.Contains(sentence, "invalid") {
			t.Errorf("%s: want a double count", sentence)
		}
	}
	if len(result.Wrong) > counter {
		t.Errorf("wrong in %d buckets, the plain counter in %d: want at most as many", len(result.Wrong), counter)
	}
}

// addingOverlay returns the overlay of an aggregate function that adds each new event to its rows. It is
// the obvious implementation, and wrong when a record is delivered twice.
func addingOverlay(t *testing.T) string {
	t.Helper()
	const wiring, right = "functions/aggregate/main.go", "h.processor = aggregator\n"
	deployed, err := os.ReadFile(filepath.Join(root, wiring))
	if err != nil || strings.Count(string(deployed), right) != 1 {
		t.Fatalf("%s: %v, want %q once", wiring, err, right)
	}
	adding, err := os.ReadFile("testdata/adding.go")
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	path, err := overlay.Write(module, t.TempDir(), map[string]string{
		wiring:                          strings.Replace(string(deployed), right, "h.processor = naiveCounter{aggregator}\n", 1),
		"functions/aggregate/adding.go": string(adding),
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// replay replays the readings of the device from a day on, with disturbed delivery. It returns the
// comparison of the rows, and the number of buckets in which the counter is wrong. It compares only
// buckets of later days, for which all readings are replayed.
func replay(t *testing.T, functions, since string) (loggers.Result, int) {
	t.Helper()
	expects, err := loggers.ReadOracle(filepath.Join(root, "test/data/loggers.oracle.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	outside := func(k rollup.Key) bool {
		return k.Series.Subject.ID != device || since != "" && k.Start.String()[:len(since)] <= since
	}
	maps.DeleteFunc(expects, func(k rollup.Key, _ loggers.Expect) bool { return outside(k) })
	rig, err := loggers.StartRig(t.Context(), loggers.Options{
		Root: root, Functions: functions, Table: "oracle-" + filepath.Base(t.Name()),
		Faults: stack.Faults{Seed: 1, Again: 2, Recut: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer rig.Stop()
	if err := rig.Tidemark(t.Context(), io.Discard, "replay", "--wait", "--map", loggers.Map,
		writeExtract(t, since)); err != nil {
		t.Fatal(err)
	}
	rows, err := rig.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows = slices.DeleteFunc(rows, func(r rollup.Row) bool { return outside(r.Key) })
	return loggers.Compare(rows, expects), rig.Counter.Wrong(expects)
}

// writeExtract writes a file with the rows of the device from a day on.
func writeExtract(t *testing.T, since string) string {
	t.Helper()
	zipped, err := os.Open(filepath.Join(root, "test/data/loggers.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	unzipped, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	var rows []byte
	for i, line := range bytes.SplitAfter(all, []byte("\n")) {
		columns := bytes.Split(line, []byte(","))
		if i == 0 || len(columns) > 3 && string(columns[1]) == device && string(columns[3]) >= since {
			rows = append(rows, line...)
		}
	}
	path := filepath.Join(t.TempDir(), device+".csv")
	if err := os.WriteFile(path, rows, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func build(t *testing.T, args ...string) {
	t.Helper()
	// The flags of the Makefile, so that the build cache is used.
	cmd := exec.Command("go", append([]string{"build", "-buildvcs=false", "-ldflags", "-s -w"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
