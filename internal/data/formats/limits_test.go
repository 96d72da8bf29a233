package formats

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

// newBomb returns a zip archive with one part: a header, then size bytes of one filler.
func newBomb(t *testing.T, part, header string, filler byte, size int) string {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	w, err := archive.Create(part)
	if err != nil {
		t.Fatal(err)
	}
	chunk := bytes.Repeat([]byte{filler}, 1<<20)
	_, err = io.WriteString(w, header)
	for written := 0; err == nil && written < size; written += len(chunk) {
		_, err = w.Write(chunk)
	}
	if err != nil || archive.Close() != nil {
		t.Fatal(err)
	}
	return write(t, "bomb.zip", b.String())
}

// A small archive of a large file is refused before it is in memory.
func TestInput_ABombIsRefusedInBoundedMemory(t *testing.T) {
	// bytes: a reader of the whole would allocate several times its size
	const size, memory = 192 << 20, 192 << 20
	kinds := websites(t)
	views, _ := kinds.Kind(web.PageViews.Name)
	in := Input{Kind: views, Web: &Web{Format: "plausible", Site: "s"}}
	for name, file := range map[string]string{
		"a line of spaces":           newBomb(t, "imported_pages.csv", "date,page,visits\n", ' ', size),
		"a quoted cell of new lines": newBomb(t, "imported_pages.csv", "date,page,visits\n2024-10-04,\"", '\n', size),
		"an archive in an archive":   newBomb(t, "inner.zip", "PK", 0, 1<<20),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := in.Each([]string{file}, func(Observation) error { return nil })
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; err == nil || allocated > memory {
			t.Errorf("%s: %v, %d MB allocated, want an error and at most %d", name, err, allocated>>20, memory>>20)
		}
	}
}

func TestShortLines_PassOnLinesUpToTheLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want bool
	}{
		{strings.Repeat("a", maxLine) + "\n" + strings.Repeat("b", maxLine), true},
		{"a\n" + strings.Repeat("b", maxLine+1), false},
		{strings.Repeat("a", maxLine+1) + "\n", false},
	} {
		text, err := io.ReadAll(&shortLines{Reader: strings.NewReader(c.text)})
		if (err == nil) != c.want || c.want && string(text) != c.text {
			t.Errorf("%d bytes: %v, want them passed on: %v", len(c.text), err, c.want)
		}
	}
}
