package formats

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
)

// format is how the observations of a file are written.
type format int

const (
	lines        format = iota // NDJSON
	values                     // JSON values that span lines, or an array
	table                      // CSV
	pointsFormat               // InfluxDB line protocol
)

// linePattern is the first line of line protocol.
var linePattern = regexp.MustCompile(
	`^[^\s,{"]+(,[^\s,="]+=[^\s,"]+)*[ ][^\s,="]+=("(\\.|[^"\\\n])*"|[^\s,"]+)(,[^\s,="]+=("(\\.|[^"\\\n])*"|[^\s,"]+))*([ ]\d+)?\r?(\n|$)`)

// annotated is the beginning of a result of Flux, as InfluxDB exports it.
var annotated = regexp.MustCompile(`^#(group|datatype|default),`)

// foreign are formats that are recognised and not read.
var foreign = []struct {
	pattern *regexp.Regexp // of the start of the file
	is, use string
}{
	{regexp.MustCompile(`(?s)^PK\x03\x04.{26}(\[Content_Types\]|_rels/|docProps/|xl/|mimetypeapp)`),
		"a spreadsheet (.xlsx or .ods) or another document", "save the sheet as CSV"},
	{regexp.MustCompile(`^PK\x03\x04`), "a spreadsheet or a zip archive",
		"save the sheet as CSV, or unpack the archive"},
	{regexp.MustCompile(`^PAR1`), "Parquet", "pass the file by its name: Parquet cannot be read from a pipe"},
	{regexp.MustCompile(`^SQLite format 3`), "an SQLite database",
		"export the table with sqlite3 -header -csv FILE 'SELECT …'"},
	{regexp.MustCompile(`^..\x11\x{871}\x1a`), "a workbook of Excel (.xls)", "save the sheet as CSV"},
	{regexp.MustCompile(`(?s)^.{257}ustar`), "a tar archive", "unpack it, and pass the files in it"},
	{regexp.MustCompile(`^(.7zXZ\x00|7z\x{FFFD}|\x04"M\x18|Rar!)`), "a file compressed by xz, 7z, lz4 or rar",
		"unpack it, or compress it with gzip, zstd or bzip2"},
	{regexp.MustCompile(`^(ARROW1\x00|FEA1|\x{FFFD}{4}..\x00\x00|Obj\x01|ORC[\x00-\x1f\x{FFFD}]|` +
		`\x{FFFD}HDF\r|CDF[\x01\x02\x05])`), "an Arrow, Feather, Avro, ORC, HDF5 or NetCDF file",
		"write its table as Parquet or CSV, for example with pandas"},
	{regexp.MustCompile(`^%PDF-`), "a PDF document", "export the table as CSV where the document comes from"},
	{regexp.MustCompile(`\x00`), "a binary file", "export its content as CSV or NDJSON"},
	{regexp.MustCompile(`^<`), "XML or HTML",
		"convert it to CSV or NDJSON; a page that asks to sign in is not the file"},
	{regexp.MustCompile(`^version https://git-lfs\.`), "a pointer of Git LFS",
		"run git lfs pull, which writes the file in its place"},
	{regexp.MustCompile(`(?i)^(--[^\n]*\n|\s)*` +
		`(-- \w+( database)? dump|/\*!\d|SET \w+ = |PRAGMA \w|CREATE TABLE |INSERT INTO )`),
		"a dump in SQL", "load it into its database, and export the table as CSV"},
	{annotated, "annotated CSV of InfluxDB", "delete the lines that begin with #"},
	{regexp.MustCompile(`^# (HELP|TYPE) `), "the Prometheus text format",
		"send one JSON object a line: subject, timestamp and the measures"},
	{linePattern,
		"line protocol", "export the series as CSV, or let Telegraf write it with data_format = \"json\""},
	{regexp.MustCompile(`^---\r?\n|^- \w+:`), "YAML", "convert it to JSON, for example with yq -o json"},
}

// detectFormat returns the format of a file from its name and its first lines. Line protocol needs a mapping.
func detectFormat(name string, start []byte, mapped, mapping bool) (format, error) {
	text := bytes.TrimLeft(start, " \t\r\n")
	first, _, _ := bytes.Cut(text, []byte("\n"))
	first = bytes.TrimSpace(first)
	line := 1 + bytes.Count(start[:len(start)-len(text)], []byte("\n"))
	for _, f := range foreign {
		if f.pattern == linePattern && mapping && f.pattern.Match(text) {
			return pointsFormat, nil
		}
		if f.pattern == annotated && mapping && f.pattern.Match(text) {
			return table, nil
		}
		if f.pattern.Match(text) {
			return 0, usererr.Errorf("%s: this looks like %s: %s%s", place(name, line), f.is, f.use,
				quoteText(first))
		}
	}
	switch {
	case mapped:
		return table, nil
	case len(text) == 0 && !IsCSV(name):
		return lines, nil // no observation
	case len(text) > 0 && text[0] == '[', spansLines(first):
		return values, nil
	case len(text) > 0 && text[0] == '{':
		return lines, nil
	case IsCSV(name), bytes.ContainsAny(firstRow(text), separators):
		return table, nil
	}
	return 0, usererr.Errorf("%s: neither JSON nor CSV with a header line: %s", place(name, line),
		Quote(string(first)))
}

// firstRow returns the first line of a text that is no comment.
func firstRow(text []byte) []byte {
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			return line
		}
	}
	return nil
}

// spansLines reports whether a JSON object begins in a line and ends in a later one, or another object
// follows it in its line.
func spansLines(first []byte) bool {
	first, _ = jsonscan.ReplaceNotNumbers(first)
	if len(first) == 0 || first[0] != '{' || json.Valid(first) {
		return false
	}
	end := jsonscan.Skip(first, 0)
	return strings.ContainsRune("{[,:", rune(first[len(first)-1])) ||
		end != jsonscan.Invalid && jsonscan.Is(first, jsonscan.Space(first, end), '{')
}
