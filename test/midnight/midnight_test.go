// Package midnight plays suites that run the programs ten seconds before a day ends that is the last of
// something: what they take for today must not depend on when they are run.
package midnight

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

var all = flag.Bool("all", false, "play all ends, not one by the seed of the day")

var ends = []struct{ name, at string }{
	{"a month", "2026-11-30T23:59:50Z"},
	{"a year", "2026-12-31T23:59:50Z"},
	{"summer time", "2026-10-24T23:59:50Z"}, // clocks of Europe go back an hour later
}

// Each suite is the tests of a folder whose names begin like this.
var suites = []struct{ folder, tests string }{
	{"api", "TestAPI_"},
	{"ui", "TestPages_"},
}

func TestMidnight_SuitesPassWhileADayEnds(t *testing.T) {
	played := ends
	if !*all {
		testenv.LongOnly(t)
		day := testenv.Seed(t) / 10_000 % uint64(len(ends))
		played = ends[day : day+1]
	}
	for _, suite := range suites {
		binary := filepath.Join(t.TempDir(), suite.folder+".test")
		build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, ".")
		build.Dir = "../" + suite.folder
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build the suite %s: %v\n%s", suite.folder, err, out)
		}
		for _, end := range played {
			t.Run(suite.folder+" at the end of "+end.name, func(t *testing.T) {
				play(t, binary, "../"+suite.folder, suite.tests, end.at)
			})
		}
	}
}

// play runs tests while the clock of their programs begins at a time.
func play(t *testing.T, binary, dir, tests, at string) {
	t.Helper()
	begin, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "clock")
	if err := clock.At(file).Set(begin); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), binary, "-test.v", "-test.timeout=10m", "-test.run=^"+tests)
	run.Dir, run.Env = dir, append(os.Environ(), clock.Env+"="+file)
	out, err := run.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("at %s: %v\n%s", at, err, out)
	case strings.Contains(string(out), "--- SKIP: "+tests):
		testenv.Missing(t, "chromium", string(out))
	case !strings.Contains(string(out), "--- PASS: "+tests):
		t.Errorf("at %s no test %s… was run:\n%s", at, tests, out)
	}
	if now := clock.At(file).Now(); now.Day() == begin.Day() {
		t.Errorf("the day did not end during the suite: it is %s", now)
	}
}
