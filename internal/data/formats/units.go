package formats

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
)

// mostUnits is the greatest number of rows with units between a header and the data.
const mostUnits = 2

// unitRows returns how many rows between the header and the data name the units of the columns: they have no
// cell that is a number or a time, and texts above numbers.
func unitRows(sample [][]string) int {
	for n, row := range sample[:min(mostUnits+1, len(sample))] {
		if hasData(row) && !isFormats(row) {
			isOther := func(units []string) bool { return !aboveNumbers(units, row, sample[n:]) }
			if slices.ContainsFunc(sample[:n], isOther) {
				return 0
			}
			return n
		}
	}
	return 0
}

// columnFormat is the width and the type of a column in a row below the header of RDB: 5s, 20d, 14n.
var columnFormat = regexp.MustCompile(`^\d+[sdnSDN]$`)

// isFormats reports whether a row has the formats of its columns.
func isFormats(row []string) bool {
	isOther := func(cell string) bool { return !columnFormat.MatchString(strings.TrimSpace(cell)) }
	return len(row) > 0 && !slices.ContainsFunc(row, isOther)
}

// aboveNumbers reports whether a row has a text where rows of data have numbers, and no cell of the first of
// these: a row of data whose time cannot be read has the same subject. The first row may lack any number.
func aboveNumbers(units, first []string, data [][]string) (above bool) {
	for i, text := range units {
		if text = strings.TrimSpace(text); columns.Missing(text) {
			continue
		}
		if i < len(first) && text == strings.TrimSpace(first[i]) {
			return false
		}
		above = above || slices.ContainsFunc(data, func(row []string) bool { return hasNumber(row, i) })
	}
	return above
}

func hasNumber(row []string, at int) bool {
	if at >= len(row) {
		return false
	}
	cell := strings.TrimSpace(row[at])
	_, point := columns.ParseNumber(cell, columns.Point)
	_, comma := columns.ParseNumber(cell, columns.Comma)
	return point || comma
}

// amount begins the cells that have an amount or a time: digits, with a sign or a mark of decimals before.
var amount = regexp.MustCompile(`^[-+\x{2212}.,]?\d`)

// texts returns how many cells of a row are not empty.
func texts(row []string) (n int) {
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// hasData reports whether a cell of a row is a number or a time.
func hasData(row []string) bool {
	for _, cell := range row {
		text := strings.TrimSpace(cell)
		if _, _, err := (timetext.Clock{Zone: time.UTC}).Read(text); amount.MatchString(text) || err == nil {
			return true
		}
	}
	return false
}

// looksLikeData reports whether the first line of a table has data and no titles: a cell is a time or number.
func looksLikeData(header []string) bool {
	for _, cell := range header {
		text := strings.TrimSpace(cell)
		_, isNumber := columns.ParseNumber(text, columns.Point)
		if _, _, err := (timetext.Clock{Zone: time.UTC}).Read(text); text != "" && (isNumber || err == nil) {
			return true
		}
	}
	return false
}
