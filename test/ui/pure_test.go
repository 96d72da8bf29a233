package ui

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// The pure parts of the pages have their tests beside them: ui/src/*.test.ts.
func TestPureParts_PassTheirTests(t *testing.T) {
	t.Parallel()
	npm, err := exec.LookPath("npm")
	if err != nil {
		testenv.Missing(t, "node", err)
	}
	if _, err := os.Stat("../../ui/node_modules/.bin/esbuild"); err != nil {
		testenv.Missing(t, "node", "esbuild is not installed: run make ui/node_modules")
	}
	run := exec.CommandContext(t.Context(), npm, "test", "--silent")
	run.Dir = "../../ui"
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# fail 0") || strings.Contains(string(out), "# pass 0") {
		t.Errorf("npm test in ui: %v\n%s", err, out)
	}
}
