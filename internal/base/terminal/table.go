package terminal

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table prints rows in aligned columns, two spaces apart. Control characters in cells
// are replaced. On a terminal, lines that are too long are cut and end in "…".
type Table struct {
	w     io.Writer
	rows  table.Writer
	right map[int]bool
	width int // of the terminal; 0 does not cut
}

// NewTable returns an empty table that prints to w. The columns named by number, from
// 0, are aligned at the right.
func NewTable(w io.Writer, right ...int) *Table {
	t := &Table{w: w, rows: table.NewWriter(), right: map[int]bool{}}
	for _, column := range right {
		t.RightAlign(column)
	}
	t.width, _ = Width(w)
	return t
}

// RightAlign aligns a column, from 0, at the right.
func (t *Table) RightAlign(column int) { t.right[column] = true }

// Add appends a row; a header is a row like others.
func (t *Table) Add(cells ...string) {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = Printable(cell)
	}
	t.rows.AppendRow(row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.rows.Length() }

// Print writes the rows.
func (t *Table) Print() error {
	if t.Len() == 0 {
		return nil
	}
	t.rows.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  ", UnfinishedRow: "…"},
		Options: table.OptionsNoBordersAndSeparators,
		Size:    table.SizeOptions{WidthMax: t.width},
	})
	var columns []table.ColumnConfig
	for column := range t.right {
		columns = append(columns, table.ColumnConfig{Number: column + 1, Align: text.AlignRight})
	}
	t.rows.SetColumnConfigs(columns)
	t.rows.SuppressTrailingSpaces()
	_, err := io.WriteString(t.w, t.rows.Render()+"\n")
	return err
}
