package formats

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// beginning is what programs write above the data of a table, beside a header in the first line. Shapes that
// a user gives are never guessed.
type beginning struct {
	pattern *regexp.Regexp // of the first line
	shape   func(first []string, k *catalog.Kind) Shape
}

// siteWiseHeader are the columns of SiteWise's bulk files, which have no header line.
var siteWiseHeader = []string{
	"ALIAS", "ASSET_ID", "PROPERTY_ID", "DATA_TYPE",
	"TIMESTAMP_SECONDS", "TIMESTAMP_NANO_OFFSET", "QUALITY", "VALUE",
}

var beginnings = []beginning{
	// Campbell's loggers: the station and its program, the header, its units, and how values were processed.
	{regexp.MustCompile(`^"?TOA5"?,`), func(first []string, k *catalog.Kind) Shape {
		s := Shape{Skip: 1, SkipBelow: 2}
		if len(first) > 1 && first[1] != "" {
			s.Constants = map[string]string{k.Subject.Field: first[1]}
		}
		return s
	}},
	{
		regexp.MustCompile(`^[^,]*,[^,]*,[^,]*,(STRING|INTEGER|DOUBLE|BOOLEAN),\d+,\d+,(GOOD|BAD|UNCERTAIN),`),
		func([]string, *catalog.Kind) Shape { return Shape{Header: siteWiseHeader} },
	},
}

// tableShape returns the shape of a table that begins with start: comments above its header, or what programs
// always write. A shape that the user gives is returned as it is.
func tableShape(given Shape, start []byte, k *catalog.Kind) Shape {
	if given.Skip > 0 || given.Header != nil {
		return given
	}
	found := comments(start)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	for _, b := range beginnings {
		if b.pattern.Match(line) {
			found = b.shape(cells(line, ','), k)
		}
	}
	found.Missing = given.Missing
	if given.SkipBelow > 0 {
		found.SkipBelow = given.SkipBelow
	}
	for field, value := range given.Constants {
		if found.Constants == nil {
			found.Constants = map[string]string{}
		}
		found.Constants[field] = value
	}
	return found
}

// comments returns the shape of a table with lines that begin with # above its header. The last of them is
// the header itself if it has as many cells as the next line, and that line has a number.
func comments(start []byte) (s Shape) {
	lines := bytes.Split(start, []byte("\n"))
	isComment := func(line []byte) bool { return line[0] == '#' && !annotated.Match(line) }
	for s.Skip < len(lines) && len(lines[s.Skip]) > 0 && isComment(lines[s.Skip]) {
		s.Skip++
	}
	if s.Skip == 0 || s.Skip >= len(lines) {
		return Shape{}
	}
	next := lines[s.Skip]
	separator := detectSeparator(string(next))
	header := cells(bytes.TrimLeft(lines[s.Skip-1], "# "), separator)
	data := cells(next, separator)
	isNumber := func(cell string) bool { _, err := strconv.ParseFloat(cell, 64); return err == nil }
	if len(header) > 1 && len(header) == len(data) && slices.ContainsFunc(data, isNumber) {
		s.Header = header
	}
	return s
}

// cells returns the cells of one line.
func cells(line []byte, separator rune) []string {
	r := csv.NewReader(bytes.NewReader(line))
	r.Comma, r.LazyQuotes = separator, true
	r.TrimLeadingSpace = true
	row, err := r.Read()
	if err != nil {
		return nil
	}
	for i := range row {
		row[i] = strings.TrimSpace(row[i])
	}
	return row
}
