package main

import (
	"bufio"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// grid is a table of text in aligned columns.
type grid struct {
	right map[int]bool // columns of numbers, aligned at the right
	rows  [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// print writes the rows, each column as wide as its widest cell. Cells come from a
// table that others write to, so what would steer a terminal is replaced.
func (g *grid) print(w io.Writer) error {
	var widths []int
	for _, row := range g.rows {
		for i, cell := range row {
			row[i] = printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range g.rows {
		out.WriteString(strings.TrimRight(g.line(row, widths), " "))
		out.WriteByte('\n')
	}
	return out.Flush()
}

func (g *grid) line(row []string, widths []int) string {
	var line strings.Builder
	for i, cell := range row {
		if i > 0 {
			line.WriteString("  ")
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if g.right[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	return line.String()
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '·'
		}
		return r
	}, s)
}

// valueText is a value as people read it.
func valueText(v model.Value) string {
	switch v.Kind {
	case model.Number:
		return v.Number.String()
	case model.Text:
		return v.Text
	case model.Bool:
		if v.Bool {
			return "true"
		}
		return "false"
	default:
		return "null"
	}
}
