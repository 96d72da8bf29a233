package export

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// column is a column of CSV and Parquet.
type column struct {
	name string
	kind columnType
}

// columnType is the type of a column in Parquet.
type columnType int

const (
	text columnType = iota
	integer
	number
	boolean
	timestamp // milliseconds
	object    // JSON
)

var nodes = map[columnType]func() parquet.Node{
	text:      parquet.String,
	integer:   func() parquet.Node { return parquet.Int(64) },
	number:    func() parquet.Node { return parquet.Leaf(parquet.DoubleType) },
	boolean:   func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
	timestamp: func() parquet.Node { return parquet.Timestamp(parquet.Millisecond) },
	object:    parquet.JSON,
}

// rowGroup is how many rows are held in memory before they are written.
const rowGroup = 50_000

type parquetWriter struct {
	*parquet.Writer
	indexes []int // in the file, of each column
	row     parquet.Row
}

// openParquet begins a file. Parquet sorts its columns by name.
func openParquet(w io.Writer, columns []column) (writer, error) {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.name] = parquet.Optional(nodes[c.kind]())
	}
	schema := parquet.NewSchema("tidemark", group)
	out := &parquetWriter{row: make(parquet.Row, len(columns))}
	for _, c := range columns {
		leaf, _ := schema.Lookup(c.name)
		out.indexes = append(out.indexes, leaf.ColumnIndex)
	}
	out.Writer = parquet.NewWriter(w, schema, parquet.MaxRowsPerRowGroup(rowGroup), parquet.Compression(&parquet.Snappy))
	return out, nil
}

func (w *parquetWriter) write(e entry) error {
	values, err := e.values()
	if err != nil {
		return err
	}
	for i, v := range values {
		at, level := w.indexes[i], 1
		if v == nil {
			level = 0
		}
		w.row[at] = parquet.ValueOf(v).Level(0, level, at)
	}
	_, err = w.WriteRows([]parquet.Row{w.row})
	return err
}

func (w *parquetWriter) close() error { return w.Close() }
