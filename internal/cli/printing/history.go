// Package printing prints what commands read and report as text for people: tables, and one line
// for each finding. Programs use the other output formats, which package httpapi writes.
package printing

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// History prints a column for each field that any event has.
func (f Times) History(w io.Writer, events []model.Event, units Units) error {
	names := views.FieldNames(events, func(e model.Event) views.Fields { return views.Fields(e.Attrs) })
	withID := slices.ContainsFunc(events, func(e model.Event) bool {
		_, id := ordervalue.Shown(e.Order)
		return id != ""
	})
	header := []string{"TIME"}
	if withID {
		header = append(header, "ID")
	}
	table := terminal.NewTable(w)
	table.Add(append(header, lists.Map(names, units.label)...)...)
	for i := range events {
		e := &events[i]
		row := []string{f.shown(e.Order)}
		if withID {
			_, id := ordervalue.Shown(e.Order)
			row = append(row, id)
		}
		if e.Unreadable {
			table.Add(append(row, "(cannot be decoded)")...)
			continue
		}
		for _, name := range names {
			v, ok := e.Attrs.Get(name)
			if v.Kind == model.Number {
				table.RightAlign(len(row))
			}
			cell := ""
			if ok {
				cell = valueText(v)
			}
			row = append(row, cell)
		}
		table.Add(row...)
	}
	return table.Print()
}

// shown returns the time of an event; "" if the event has none.
func (f Times) shown(o model.Order) string {
	if at, _ := ordervalue.Shown(o); at != nil {
		return f.Text(*at)
	}
	return ""
}

// Latest prints the fields of a latest item.
func (f Times) Latest(w io.Writer, c *model.Latest, units Units) error {
	table := terminal.NewTable(w)
	table.Add("FIELD", "VALUE")
	if c.Ordered {
		table.Add("time", f.shown(c.Order))
	}
	if _, id := ordervalue.Shown(c.Order); id != "" {
		table.Add("id", id)
	}
	for _, a := range c.Attrs {
		table.Add(units.label(a.Name), valueText(a.Value))
	}
	return table.Print()
}

// valueText returns a value for a cell.
func valueText(v model.Value) string {
	if text, ok := v.Plain(); ok {
		return text
	}
	return "null"
}

// EventLine prints an event as one line.
func (f Times) EventLine(w io.Writer, e *model.Event) error {
	parts := []string{f.shown(e.Order)}
	if e.ID != "" {
		parts = append(parts, "id="+e.ID)
	}
	if e.Unreadable {
		parts = append(parts, "(cannot be decoded)")
	}
	for _, a := range e.Attrs {
		parts = append(parts, a.Name+"="+valueText(a.Value))
	}
	_, err := fmt.Fprintln(w, terminal.Printable(strings.Join(parts, "  ")))
	return err
}

// Cells prints a table of a result.
func Cells(w io.Writer, cells views.Table) error {
	table := terminal.NewTable(w)
	table.Add(strings.Split(strings.ToUpper(strings.Join(cells.Header, "\n")), "\n")...)
	for _, row := range cells.Rows {
		table.Add(row...)
	}
	return table.Print()
}
