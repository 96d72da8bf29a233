package stack

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
)

// fill makes each write to an open file of this process fail as on a full disk.
func fill(t *testing.T, path string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("skipped: ", err)
	}
	defer full.Close()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range open {
		if to, _ := os.Readlink(filepath.Join("/proc/self/fd", f.Name())); to == path {
			fd, _ := strconv.Atoi(f.Name())
			if err := syscall.Dup3(int(full.Fd()), fd, 0); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("%s is not open", path)
}

// Each request fails from then on: a dev that went on would look like a slow table.
func TestStack_EndsIfItsDiskIsFull(t *testing.T) {
	dir := t.TempDir()
	s := startStack(t, func(o *Options) { o.DynamoDB, o.Engine = ddblocal.Options{DataDir: dir}, Embedded })
	fill(t, filepath.Join(dir, protocol.FileName))
	reading := `{"deviceId":"d","timestamp":"2026-01-01T00:00:00Z","temperature":1}`
	resp, err := http.Post(s.URL+"/v1/readings", "application/json", strings.NewReader(reading))
	if err == nil {
		resp.Body.Close() // the stack may end before it responds
	}
	<-s.Context().Done()
	if err := s.Err(); !errors.Is(err, ErrDatabaseEnded) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the stack ended by %v, want that %s cannot be written", err, dir)
	}
}
