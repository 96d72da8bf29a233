package formats

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/files"
)

func isParquet(file files.File) bool {
	magic := make([]byte, 4)
	_, err := file.ReadAt(magic, 0)
	return err == nil && string(magic) == "PAR1"
}

// openParquet reads the columns of a Parquet file like the columns of a CSV file with the same names.
func (in Input) openParquet(name string, file files.File) (_ reader, err error) {
	defer notDamaged(name, &err)
	opened, err := parquet.OpenFile(file, file.Size(), parquet.SkipPageIndex(true),
		parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, damaged(name, err)
	}
	if err := checkCodecs(name, opened.Metadata()); err != nil {
		return nil, err
	}
	rows := &parquetRows{name: name, reader: rowReader(opened), buffer: make([]parquet.Row, 128)}
	header, refused := rows.columns(opened.Metadata().Schema)
	r := &csvReader{
		name: name, kind: in.Kind, columns: in.Columns, clock: in.Clock, source: rows.read, lenient: in.Lenient,
		typed: true, refused: refused, shape: Shape{Constants: in.Shape.Constants},
	}
	if r.clock.Zone == nil { // of times that are not adjusted to UTC
		r.zone = time.UTC
		r.assumed = ", in UTC, as it has no zone (--zone names another)"
	}
	var utc []bool // of each column
	for _, l := range rows.leaves {
		if l.text != nil {
			r.types, utc = append(r.types, l.Column), append(utc, l.utc)
		}
	}
	sample, err := readSample(opened, rows)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err := r.setHeader(header, sample); err != nil {
		return nil, err
	}
	if at := r.timeIndex(); at < len(utc) && utc[at] { // also if the first rows have no time
		r.assumed = ""
	}
	if r.guessed && in.Notice != nil {
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
	return usererr.Errorf("%s: this is not a whole Parquet file: copy it again: %w", name, err)
}

// codecs are the compressions that are read. The library returns bytes of other pages in place of some pages
// in LZ4_RAW.
var codecs = []parquetformat.CompressionCodec{parquetformat.Uncompressed, parquetformat.Snappy,
	parquetformat.Gzip, parquetformat.Brotli, parquetformat.Zstd}

// checkCodecs returns an error for a file with a column in another compression.
func checkCodecs(name string, file *parquetformat.FileMetaData) error {
	for _, group := range file.RowGroups {
		for _, c := range group.Columns {
			if codec := c.MetaData.Codec; !slices.Contains(codecs, codec) {
				return usererr.Errorf("%s: its columns are compressed by %s, which is not read: write it "+
					"with zstd or snappy, such as with compression='zstd' in pandas and pyarrow, or with "+
					"output_format_parquet_compression_method = 'zstd' in ClickHouse", name, codec)
			}
		}
	}
	return nil
}

func rowReader(file *parquet.File) parquet.RowReader {
	if file.NumRows() == 0 {
		return noRows{}
	}
	return parquet.MultiRowGroup(file.RowGroups()...).Rows()
}

// noRows reads a file without rows, which the library cannot.
type noRows struct{}

func (noRows) ReadRows([]parquet.Row) (int, error) { return 0, io.EOF }

func readSample(file *parquet.File, rows *parquetRows) (sample [][]string, err error) {
	first := &parquetRows{name: rows.name, reader: rowReader(file), leaves: rows.leaves, cells: rows.cells,
		width: rows.width, buffer: make([]parquet.Row, sampleRows)}
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
	leaves []leaf // by their index in the file; one without a text is not read
	cells  []int  // of each leaf, its index in a row of cells
	width  int
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
	cells = make([]string, p.width)
	for _, v := range p.left[0] {
		if l := p.leaves[v.Column()]; l.text != nil && !v.IsNull() {
			cells[p.cells[v.Column()]] = l.text(v)
		}
	}
	p.left, p.number = p.left[1:], p.number+1
	return cells, p.number, nil
}

// columns finds the leaves of a schema, and returns the names of those that are read, and why others are not.
// The schema is a tree in preorder.
func (p *parquetRows) columns(schema []parquetformat.SchemaElement) (header, refused []string) {
	for i := 1; i < len(schema); i = afterElement(schema, i) {
		names, reasons := p.element(schema, i, "", len(header))
		header, refused = append(header, names...), append(refused, reasons...)
	}
	p.width = len(header)
	return header, refused
}

// element finds the leaves of an element, whose first cell is at an index. A member of a group is a column of
// its own, named by its path as the members of objects in JSON are.
func (p *parquetRows) element(
	schema []parquetformat.SchemaElement, i int, path string, cell int,
) (header, refused []string) {
	s, end := &schema[i], afterElement(schema, i)
	name := path + s.Name
	isList := s.RepetitionType.V == parquetformat.Repeated ||
		end > i+1 && schema[i+1].RepetitionType.V == parquetformat.Repeated // of a list or a map
	if end > i+1 && !isList {
		for j := i + 1; j < end; j = afterElement(schema, j) {
			names, reasons := p.element(schema, j, name+".", cell+len(header))
			header, refused = append(header, names...), append(refused, reasons...)
		}
		return header, refused
	}
	l, err := newLeaf(s)
	if end > i+1 || isList {
		l, err = leaf{}, errNested
	}
	for j := i; j < end; j++ {
		if schema[j].NumChildren.V == 0 {
			p.leaves, p.cells = append(p.leaves, l), append(p.cells, cell)
		}
	}
	if err != nil {
		return nil, []string{fmt.Sprintf("%s %v", Quote(name), err)}
	}
	return []string{name}, nil
}

var errNested = errors.New("is a list or a map: select its parts as columns of their own")

// afterElement returns the index after an element and all that is in it.
func afterElement(schema []parquetformat.SchemaElement, i int) int {
	end := i + 1
	for range schema[i].NumChildren.V {
		if end >= len(schema) {
			break
		}
		end = afterElement(schema, end)
	}
	return end
}
