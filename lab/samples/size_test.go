package samples

import (
	"archive/zip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// The size of a function's zip file is part of its cold start, and each protocol adds a decoder.
func TestFunctions_HaveAtMost6MBZipped(t *testing.T) {
	const most = 6 << 20
	built, err := stack.FindBinaries(t.Context(), "",
		slices.Sorted(maps.Keys(stack.Settings(config.Default())))...)
	if errors.Is(err, stack.ErrNoBinaries) {
		testenv.Missing(t, "binaries", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, binary := range built {
		size := zipped(t, binary, filepath.Join(filepath.Dir(binary), "tidemark.yaml"))
		if t.Logf("%s: %.2f MB", name, float64(size)/(1<<20)); size > most {
			t.Errorf("%s has %d bytes zipped, want at most %d: find the package that is new in it", name, size, most)
		}
	}
}

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// zipped returns the size of a zip file of files.
func zipped(t *testing.T, files ...string) int64 {
	t.Helper()
	var size counter
	z := zip.NewWriter(&size)
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := z.Create(filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return int64(size)
}
