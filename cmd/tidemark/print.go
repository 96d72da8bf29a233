package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/plaintext"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
)

// list is the output of commands that print lines with columns.
type list struct{ output string }

func (l *list) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.output, "output", tableOutput, "output `format`: table, json, ndjson or csv")
}

// print prints the result in the format of --output: for a table its cells, or, without rows, a
// line on the error output.
func (l *list) print(cmd *cobra.Command, result any, cells views.Table, none string) error {
	switch {
	case l.output != tableOutput:
		return printAs(cmd, l.output, result)
	case len(cells.Rows) == 0:
		return printNone(cmd, none)
	}
	return printing.Cells(cmd.OutOrStdout(), cells)
}

// printNone prints a line on the error output: there is nothing to print.
func printNone(cmd *cobra.Command, line string) error {
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), line)
	return err
}

// printJSON prints an indented JSON document.
func printJSON(out io.Writer, v any) error { return writeJSON(out, v, "  ") }

// printJSONLine prints a JSON document in one line.
func printJSONLine(out io.Writer, v any) error { return writeJSON(out, v, "") }

// writeJSON writes characters that a terminal hides, or obeys, as escapes.
func writeJSON(out io.Writer, v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(plaintext.EscapeJSON(text.Bytes()))
	return err
}
