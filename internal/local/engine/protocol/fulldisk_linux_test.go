package protocol_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A full disk fails the first page of a new file. A file that was there before stays.
func TestOpenData_SaysWhatToDoOnAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("skipped: ", err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, protocol.FileName)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	s := protocol.New("us-east-1", func() model.Time { return model.NewTime(time.Now()) })
	err := s.OpenData(dir)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space there") {
		t.Errorf("%v, want what to do", err)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that was there before is gone")
	}
}
