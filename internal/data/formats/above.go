package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// rowsOfTable is how many rows with a time in one column, one after another, begin a table.
const rowsOfTable = 3

// below returns an error that says where the header of a table is that begins in a later line, below what
// programs write about the file. It is nil if the first line has a title of the time, or is a header itself.
func (r *csvReader) below(first []string, sample [][]string) error {
	isTitled := func(row []string) bool { return isHeaderBelow(r.kind, first, row) }
	if h := slices.IndexFunc(sample[:min(len(sample), mostAbove)], isTitled); h >= 0 {
		return r.headerAt(h, 0)
	}
	if r.columns.has(catalog.TimeField) || len(named(first, titles(r.kind, "time"))) > 0 {
		return nil
	}
	data := 0
	for data < len(sample) && data < mostAbove && !beginsTable(sample[data:]) {
		data++
	}
	if data == len(sample) || data == mostAbove || mayTitle(first, sample[data]) {
		return nil
	}
	for h := data - 1; h >= 0; h-- {
		if !mayTitle(sample[h], sample[data]) {
			continue
		}
		return r.headerAt(h, data-h-1)
	}
	return nil
}

// headerAt returns the error for a header that is a row of the sample, with rows between it and the data.
func (r *csvReader) headerAt(row, between int) error {
	line := r.sampleLine(row)
	options := fmt.Sprintf("--skip %d", line-1)
	if between > 0 {
		options += fmt.Sprintf(" --skip-below %d", between)
	}
	return fmt.Errorf("the first line is no header, but line %d looks like it: pass %s", line, options)
}

// beginsTable reports whether rows have a time in the same column, one after another.
func beginsTable(rows [][]string) bool {
	for column := range rows[0] {
		hasNone := func(row []string) bool { return column >= len(row) || !isTimeText(row[column]) }
		if len(rows) >= rowsOfTable && !slices.ContainsFunc(rows[:rowsOfTable], hasNone) {
			return true
		}
	}
	return false
}

// mayTitle reports whether a row may have the titles of the columns of a row of data: texts, of which more
// than half are different. Programs write the device or the type of a column above or below its title.
func mayTitle(row, data []string) bool {
	different := map[string]bool{}
	for _, cell := range row {
		text := strings.TrimSpace(cell)
		if isUnit := strings.HasPrefix(text, "["); isUnit {
			return false
		}
		different[text] = text != ""
	}
	delete(different, "")
	return len(different) > 1 && 2*len(different) > len(data) && !hasData(row)
}
