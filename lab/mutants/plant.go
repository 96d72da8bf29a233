package mutants

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// moduleRoot returns the root of the module of the working directory.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}

// testFlags returns flags for the tests of a package, from the module's root: property tests use a fixed
// seed, write no failure file, and spend little time on shrinking.
func testFlags(pkg string) []string {
	switch pkg {
	case "internal/engine/aggregate", "pkg/rollup", "pkg/lifecycle", "internal/store/tablekeys":
		return []string{"-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=1s"}
	}
	return nil
}

// testResults are the parsed output of go test -json, or of test2json.
type testResults struct {
	Killer  string // the first test that failed, without its subtests
	Timeout bool
	Output  string // that belongs to no test
}

// readResults parses the output of tests.
func readResults(out []byte) (r testResults) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		test, _, _ := strings.Cut(event.Test, "/")
		switch {
		case strings.Contains(event.Output, "panic: test timed out after"):
			r.Timeout = true
		case event.Action == "fail" && test != "" && r.Killer == "":
			r.Killer = test
		case test == "":
			r.Output += event.Output
		}
	}
	return r
}
