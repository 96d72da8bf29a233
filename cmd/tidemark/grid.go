package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// grid is a table of text in aligned columns.
type grid struct {
	right map[int]bool // columns of numbers, aligned at the right
	width int          // of the terminal it must fit; 0 is as wide as it is
	rows  [][]string
}

// newGrid is a table for w, with columns of numbers.
func newGrid(w io.Writer, numbers ...int) *grid {
	g := &grid{right: map[int]bool{}}
	for _, column := range numbers {
		g.right[column] = true
	}
	g.width, _ = terminalWidth(w)
	return g
}

// terminalWidth is how many characters a line has; ok is false where w is no terminal.
func terminalWidth(w io.Writer) (width int, ok bool) {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return width, err == nil && width > 0
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// printOr prints the rows, or says on the error output that there are none.
func (g *grid) printOr(cmd *cobra.Command, none string) error {
	if len(g.rows) == 0 {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), none)
		return err
	}
	return g.print(cmd.OutOrStdout())
}

// print writes the rows, each column as wide as its widest cell. Cells come from a
// table that others write to, so what would steer a terminal is replaced.
func (g *grid) print(w io.Writer) error {
	widths, hidden := g.fit(g.widths())
	out := bufio.NewWriter(w)
	for _, row := range g.rows {
		out.WriteString(strings.TrimRight(g.line(row, widths), " "))
		out.WriteByte('\n')
	}
	if hidden > 0 {
		fmt.Fprintf(out, "(%d more columns: widen the terminal, or ask for --output csv)\n", hidden)
	}
	return out.Flush()
}

func (g *grid) widths() (widths []int) {
	for _, row := range g.rows {
		for i, cell := range row {
			row[i] = printable(cell)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	return widths
}

// Between columns stand two spaces, and no column of text is cut to less than this.
const (
	between   = 2
	leastText = 8
)

// fit makes the columns fit the width: first the widest columns of text are cut, then
// columns are left off from the right, and it is said how many.
func (g *grid) fit(widths []int) (_ []int, hidden int) {
	for g.width > 0 && lineWidth(widths) > g.width {
		widest := -1
		for i, n := range widths {
			if !g.right[i] && n > leastText && (widest < 0 || n > widths[widest]) && i > 0 {
				widest = i
			}
		}
		switch {
		case widest >= 0:
			widths[widest] = max(leastText, widths[widest]-(lineWidth(widths)-g.width))
		case len(widths) > 1:
			widths = slices.Delete(widths, len(widths)-1, len(widths))
			hidden++
		default:
			return widths, hidden
		}
	}
	return widths, hidden
}

func lineWidth(widths []int) (n int) {
	for _, w := range widths {
		n += w + between
	}
	return n - between
}

func (g *grid) line(row []string, widths []int) string {
	var line strings.Builder
	for i, cell := range row[:min(len(row), len(widths))] {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", between))
		}
		cell = cut(cell, widths[i])
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if g.right[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	return line.String()
}

// cut shortens a cell to so many characters, the last of which says that it did.
func cut(cell string, width int) string {
	if utf8.RuneCountInString(cell) <= width {
		return cell
	}
	return string([]rune(cell)[:max(width-1, 0)]) + "…"
}

// printable is text of one line without what would steer a terminal.
func printable(s string) string { return strings.Map(harmless, s) }

// printableLines is printable of text of many lines.
func printableLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return harmless(r)
	}, s)
}

func harmless(r rune) rune {
	if unicode.IsControl(r) || r == utf8.RuneError {
		return '·'
	}
	return r
}

// valueText is a value as people read it.
func valueText(v model.Value) string {
	if text, ok := v.Plain(); ok {
		return text
	}
	return "null"
}
