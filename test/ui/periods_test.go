package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// Zones whose days have 23 to 25 hours, begin at half past an hour of UTC, or skip midnight.
func TestPeriods_AreWholeDaysOfAnyZone(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		testenv.Missing(t, "node", err)
	}
	const esbuild = "../../ui/node_modules/.bin/esbuild"
	if _, err := os.Stat(esbuild); err != nil {
		testenv.Missing(t, "node", "esbuild is not installed: run make ui/node_modules")
	}
	module := filepath.Join(t.TempDir(), "period.mjs")
	if out, err := exec.CommandContext(t.Context(), esbuild, "../../ui/src/period.ts", "--bundle",
		"--format=esm", "--log-level=error", "--outfile="+module).CombinedOutput(); err != nil {
		t.Fatalf("build period.ts: %v\n%s", err, out)
	}
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata",
		"Australia/Lord_Howe", "America/Santiago"} {
		check := exec.CommandContext(t.Context(), node, "periods.mjs", module)
		check.Env = append(os.Environ(), "TZ="+zone)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", zone, err, out)
		}
	}
}
