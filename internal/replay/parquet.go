package replay

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func isParquet(file files.File) bool {
	magic := make([]byte, 4)
	_, err := file.ReadAt(magic, 0)
	return err == nil && string(magic) == "PAR1"
}

// openParquet reads the columns of a Parquet file as those of a CSV file with the same names.
func (in Input) openParquet(name string, file files.File) (_ reader, err error) {
	defer notDamaged(name, &err)
	opened, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, damaged(name, err)
	}
	rows := &parquetRows{name: name, reader: rowsOf(opened), buffer: make([]parquet.Row, 128)}
	var header []string
	for _, leaf := range opened.Schema().Columns() {
		column, _ := opened.Schema().Lookup(leaf...)
		if len(leaf) > 1 || column.Node.Repeated() {
			return nil, usage.Errorf("%s: the column %s is a list or a group: select its parts as columns of their own", name, quote(strings.Join(leaf, ".")))
		}
		header, rows.texts = append(header, leaf[0]), append(rows.texts, textForm(column.Node.Type()))
	}
	r := &csvReader{name: name, kind: in.Kind, columns: in.Columns, clock: in.Clock, source: rows.read, lenient: in.Lenient}
	sample, err := sampleOf(opened, rows)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err := r.setHeader(header, sample); err != nil {
		return nil, err
	}
	if len(in.Columns) == 0 && in.Notice != nil {
		in.Notice(r.describe("Parquet"))
	}
	return r, nil
}

// notDamaged replaces the panic of a function by its error: the library panics on some damaged files.
func notDamaged(name string, err *error) {
	if reason := recover(); reason != nil {
		*err = damaged(name, fmt.Errorf("%v", reason))
	}
}

func damaged(name string, err error) error {
	return usage.Errorf("%s: this is not a whole Parquet file: copy it again: %w", name, err)
}

func rowsOf(file *parquet.File) parquet.RowReader {
	return parquet.MultiRowGroup(file.RowGroups()...).Rows()
}

func sampleOf(file *parquet.File, rows *parquetRows) (sample [][]string, err error) {
	first := &parquetRows{name: rows.name, reader: rowsOf(file), texts: rows.texts, buffer: make([]parquet.Row, sampleRows)}
	for len(sample) < sampleRows {
		row, _, err := first.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		sample = append(sample, row)
	}
	return sample, nil
}

// parquetRows reads rows as text.
type parquetRows struct {
	name   string
	reader parquet.RowReader
	texts  []func(parquet.Value) string
	number int // of the last row, from 1

	buffer []parquet.Row
	left   []parquet.Row
}

func (p *parquetRows) read() (cells []string, number int, err error) {
	defer notDamaged(p.name, &err)
	for len(p.left) == 0 {
		n, err := p.reader.ReadRows(p.buffer)
		if p.left = p.buffer[:n]; n == 0 && err != nil {
			return nil, p.number, err
		}
	}
	cells = make([]string, len(p.texts))
	for _, v := range p.left[0] {
		if !v.IsNull() {
			cells[v.Column()] = p.texts[v.Column()](v)
		}
	}
	p.left, p.number = p.left[1:], p.number+1
	return cells, p.number, nil
}

// textForm returns how values of a type are written in CSV. Times are written with a zone.
func textForm(t parquet.Type) func(parquet.Value) string {
	logical := t.String()
	if strings.HasPrefix(logical, "TIMESTAMP") {
		perMilli := map[bool]int64{true: 1_000, false: 1_000_000}[strings.Contains(logical, "MICROS")]
		if strings.Contains(logical, "MILLIS") {
			perMilli = 1
		}
		return func(v parquet.Value) string { return model.Time(v.Int64() / perMilli).String() }
	}
	switch t.Kind() {
	case parquet.Double:
		return func(v parquet.Value) string { return strconv.FormatFloat(v.Double(), 'g', -1, 64) }
	case parquet.Float:
		return func(v parquet.Value) string { return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32) }
	case parquet.ByteArray:
		return func(v parquet.Value) string { return string(v.ByteArray()) }
	}
	return parquet.Value.String
}
