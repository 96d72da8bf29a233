package ui

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The whole of a logger's data, not an extract: DATA is the folder with dev-iot.csv.gz, COMMAND the command
// line, and YEAR the device and stream whose last year is drawn. make ui-year sets them.
func TestYear_IsDrawnWithinASecond(t *testing.T) {
	data := os.Getenv("DATA")
	command := os.Getenv("COMMAND")
	year := os.Getenv("YEAR")
	if data == "" || command == "" || year == "" {
		t.Skip("needs the whole data of the loggers: make ui-year DATA=folder")
	}
	browse := browser(t)
	// the last year of a logger is not the last of all
	s := start(t, "tiers: {raw: 30d, hour: 90d, day: 10y, month: forever}\n")
	replayFile(t, s, unzipped(t, filepath.Join(data, "dev-iot.csv.gz")))
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	browse(s, []string{"YEAR=" + year, "TIDEMARK=" + command, "TIDEMARK_ENDPOINT=" + s.Endpoint,
		"TIDEMARK_TABLE=" + s.Table}, []string{"year"})
}

// unzipped writes a file without its compression, and returns its path.
func unzipped(t *testing.T, path string) string {
	t.Helper()
	zipped, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	text, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(path), ".gz")))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, text); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}
