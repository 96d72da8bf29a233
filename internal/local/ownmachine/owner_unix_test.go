//go:build unix

package ownmachine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
)

func TestMayRun_RefusesFilesOfOtherUsers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "bootstrap")
	if err := os.WriteFile(file, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ownmachine.MayRun(file); err != nil {
		t.Errorf("a file of this user: %v", err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a file to another user")
	}
	for _, at := range []string{file, dir} {
		if err := os.Chown(at, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if err := ownmachine.MayRun(file); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s of another user: %v", at, err)
		}
		if err := os.Chown(at, 0, -1); err != nil {
			t.Fatal(err)
		}
	}
}
