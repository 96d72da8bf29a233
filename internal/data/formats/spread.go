package formats

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// eachColumn stands for each column of a table that has no other mapping: of the subject or the stream the
// name of the column, and of a value its cell. A row is then one observation for each column with a cell.
const eachColumn = "*"

// eachCell is the title of the cells of such rows.
const eachCell = eachColumn + "="

var errSpread = errors.New("subject=* and value=* belong together: the name of each column is the subject " +
	"(or the stream), and its cells are the value, as in --map subject=*,time=time,temperature=*")

// checkSpread validates the fields that stand for each column.
func (c ColumnMap) checkSpread(k *catalog.Kind) error {
	names, values := 0, 0
	for _, x := range c {
		switch {
		case x.header != eachColumn:
		case x.field == k.Subject.Field || x.field == catalog.StreamField:
			names++
		case x.field == catalog.TimeField || x.field == catalog.IDField:
			return usererr.Errorf("%w", errSpread)
		default:
			values++
		}
	}
	if names != values || names > 1 || names > 0 && !c.has(catalog.TimeField) {
		return usererr.Errorf("%w", errSpread)
	}
	return nil
}

// spread divides rows of which each cell is of a series of its own, and returns a sample that is divided.
// Such a row has two more cells: the name of a column, and its cell.
func (r *csvReader) spread(sample [][]string) ([][]string, error) {
	if !slices.ContainsFunc(r.columns, func(c column) bool { return c.header == eachColumn }) {
		return sample, nil
	}
	var each []int
	for i, h := range r.header {
		if h != "" && !r.mapped(h) {
			each = append(each, i)
		}
	}
	if len(each) == 0 {
		return nil, fmt.Errorf("no column is left for %s: the columns are %s", eachColumn, quoteAll(r.header))
	}
	r.perRow = len(each)
	titles := r.header
	r.header = append(slices.Clone(titles), eachColumn, eachCell)
	r.columns = slices.Clone(r.columns)
	for i, c := range r.columns {
		if c.header == eachColumn && c.field != r.kind.Subject.Field && c.field != catalog.StreamField {
			r.columns[i].header = eachCell
		}
	}
	cellAt := func(row []string, at int) []string { return append(slices.Clone(row), titles[at], row[at]) }
	r.divide(each, cellAt)
	var divided [][]string
	for _, row := range sample {
		for _, at := range each { // each row has as many, by which its line is found
			var cells []string
			if at < len(row) {
				cells = cellAt(row[:len(titles)], at)
			}
			divided = append(divided, cells)
		}
	}
	return divided, nil
}

// mapped reports whether a column is mapped, alone or as a part of a time.
func (r *csvReader) mapped(header string) bool {
	isPart := func(part string) bool { return strings.TrimSpace(part) == header }
	return slices.ContainsFunc(r.columns, func(c column) bool {
		return c.header == header || slices.ContainsFunc(strings.Split(c.header, "+"), isPart)
	})
}

// divide makes the source return a row for each of some columns that has a cell.
func (r *csvReader) divide(each []int, cellAt func(row []string, at int) []string) {
	read := r.source
	var row []string
	line, next := 0, len(each)
	r.source = func() ([]string, int, error) {
		for {
			for ; next < len(each); next++ {
				if at := each[next]; strings.TrimSpace(row[at]) != "" {
					next++
					return cellAt(row, at), line, nil
				}
			}
			var err error
			if row, line, err = read(); err != nil {
				next = len(each)
				return row, line, err
			}
			next = 0
		}
	}
}
