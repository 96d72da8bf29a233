// Package outside runs the tests of test/userprogram, a module of its own, which uses Tidemark as
// other programs do.
package outside

import (
	"os/exec"
	"path/filepath"
	"testing"
)

func TestUserProgram_Passes(t *testing.T) {
	t.Parallel()
	run := exec.CommandContext(t.Context(), "go", "test", "./...")
	run.Dir = filepath.Join("..", "userprogram")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("go test in %s: %v\n%s", run.Dir, err, out)
	}
}
