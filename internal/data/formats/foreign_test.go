package formats

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// zipped returns an archive of files with a text.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		part, err := w.Create(name)
		if err == nil {
			_, err = part.Write([]byte("deviceId,timestamp,value\na,2026-11-01T10:00:00Z,1\n"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A file is recognised by its bytes, whatever its name: people rename files, and browsers save pages.
func TestInput_NamesTheFormatThatItDoesNotRead(t *testing.T) {
	t.Parallel()
	const archive = "a spreadsheet or a zip archive: save the sheet as CSV, or unpack the archive"
	const sheet = "a spreadsheet (.xlsx or .ods) or another document: save the sheet as CSV"
	const columnar = "an Arrow, Feather, Avro, ORC, HDF5 or NetCDF file: " +
		"write its table as Parquet or CSV, for example with pandas"
	const dump = "a dump in SQL: load it into its database, and export the table as CSV"
	for text, want := range map[string]string{
		zipped(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"): sheet,
		zipped(t, "xl/workbook.xml"):                                       sheet,
		zipped(t, "mimetypeapplication/vnd.oasis", "content.xml"):          sheet,
		zipped(t, "a.csv"):                     archive,
		"FEA1\x00\x00":                         columnar,
		"ARROW1\x00\x00":                       columnar,
		"\xff\xff\xff\xff\x78\x01\x00\x00\x10": columnar, // a stream of Arrow
		"ORC\x11\x00\x00\x0a\x0b":              columnar,
		"CDF\x01\x00\x00":                      columnar,
		"Obj\x01\x04\x14avro.codec":            columnar,
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n": "a pointer of Git LFS: " +
			`run git lfs pull, which writes the file in its place: "version https://git-lfs.github.com/spec/v1"`,
		"--\n-- PostgreSQL database dump\n--\n":        dump + `: "--"`,
		"INSERT INTO t VALUES ('2026-11-01', 21.5);\n": dump + `: "INSERT INTO t VALUES ('2026-11-01', 21.5);"`,
	} {
		err := readOne(t, Input{Kind: readings(t), Lenient: true}, "a.csv", text)
		if !usererr.Is(err) || !strings.HasSuffix(err.Error(), "a.csv:1: this looks like "+want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
}
