package export

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/tidemark-db/tidemark/internal/api/columns"
)

var nodes = map[columns.Type]func() parquet.Node{
	columns.Text:      parquet.String,
	columns.Integer:   func() parquet.Node { return parquet.Int(64) },
	columns.Number:    func() parquet.Node { return parquet.Leaf(parquet.DoubleType) },
	columns.Boolean:   func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
	columns.Timestamp: func() parquet.Node { return parquet.Timestamp(parquet.Millisecond) },
	columns.Object:    parquet.JSON,
}

// rowGroup is how many rows are held in memory before they are written.
const rowGroup = 50_000

type parquetWriter struct {
	*parquet.Writer
	indexes []int // in the file, of each column
	row     parquet.Row
}

// openParquet begins a file. Parquet sorts its columns by name.
func openParquet(w io.Writer, all []columns.Column) (writer, error) {
	group := parquet.Group{}
	for _, c := range all {
		group[c.Name] = parquet.Optional(nodes[c.Type]())
	}
	schema := parquet.NewSchema("tidemark", group)
	out := &parquetWriter{row: make(parquet.Row, len(all))}
	for _, c := range all {
		leaf, _ := schema.Lookup(c.Name)
		out.indexes = append(out.indexes, leaf.ColumnIndex)
	}
	out.Writer = parquet.NewWriter(w, schema, parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.Compression(&parquet.Snappy))
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
