package formats

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/unicode"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

var update = flag.Bool("update", false, "write the results of the awkward files")

// encodings say how the text of a file in the corpus is stored.
var encodings = map[string]func(t *testing.T, text []byte) []byte{
	"plain": func(_ *testing.T, text []byte) []byte { return text },
	"bom":   func(_ *testing.T, text []byte) []byte { return append([]byte("\ufeff"), text...) },
	"crlf":  func(_ *testing.T, text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) },
	"cut":   func(_ *testing.T, text []byte) []byte { return bytes.TrimRight(text, "\n") },
	"le":    utf16(unicode.LittleEndian, unicode.IgnoreBOM), "lebom": utf16(unicode.LittleEndian, unicode.UseBOM),
	"be": utf16(unicode.BigEndian, unicode.IgnoreBOM), "bebom": utf16(unicode.BigEndian, unicode.UseBOM),
	"gzip": func(t *testing.T, text []byte) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(text)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	},
	"zstd": func(t *testing.T, text []byte) []byte {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(text, nil)
	},
	"escaped": func(t *testing.T, text []byte) []byte {
		raw, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", `\n`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(raw)
	},
}

func utf16(order unicode.Endianness, mark unicode.BOMPolicy) func(*testing.T, []byte) []byte {
	return func(t *testing.T, text []byte) []byte {
		raw, err := unicode.UTF16(order, mark).NewEncoder().Bytes(text)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
}

// TestFiles reads the awkward files of testdata/files.txtar. The name of a file is its
// encoding, a slash, its name, and optionally the map of its columns; the file "=" after it
// is what is read: the place and body of each observation, or the error.
func TestFiles(t *testing.T) {
	const path = "testdata/files.txtar"
	corpus, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	var results []txtar.File
	for i, f := range corpus.Files {
		if f.Name == "=" {
			continue
		}
		encoding, named, _ := strings.Cut(f.Name, "/")
		name, columns, mapped := strings.Cut(named, " ")
		t.Chdir(t.TempDir())
		if err := os.WriteFile(name, encodings[encoding](t, f.Data), 0o600); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		in := Input{Kind: &kinds.Kinds[0], Notice: func(text string) { got.WriteString(text) }}
		if mapped {
			if in.Columns, err = ParseColumns(columns, in.Kind); err != nil {
				t.Fatal(err)
			}
		}
		err := in.Each([]string{name}, func(o Observation) error {
			fmt.Fprintf(&got, "%s %s\n", o.Location, o.Body)
			if bad := ingest.DecodeObject(o.Body).DecodeError; bad != nil {
				fmt.Fprintf(&got, "  rejected: %s\n", bad.Message)
			}
			if !o.Timed {
				fmt.Fprintf(&got, "  rejected: no time\n")
			}
			return nil
		})
		if err != nil {
			fmt.Fprintf(&got, "refused: %v\n", err)
			if !usererr.Is(err) {
				t.Errorf("%s: the error is not one of the input: %v", f.Name, err)
			}
		}
		results = append(results, f, txtar.File{Name: "=", Data: []byte(got.String())})
		if i+1 < len(corpus.Files) && corpus.Files[i+1].Name == "=" &&
			string(corpus.Files[i+1].Data) == got.String() {
			continue
		}
		if !*update {
			t.Errorf("%s was read as\n%s", f.Name, got.String())
		}
	}
	if n := len(results) / 2; n < 60 {
		t.Errorf("%d files, want 60", n)
	}
	if *update {
		writeCorpus(t, path, &txtar.Archive{Comment: corpus.Comment, Files: results})
	}
}

func writeCorpus(t *testing.T, path string, corpus *txtar.Archive) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(sourceDir, path), txtar.Format(corpus), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sourceDir is the directory of this package: tests start in it.
var sourceDir, _ = os.Getwd()
