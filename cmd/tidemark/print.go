package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// printOr prints a table, or, if it has no rows, a line on the error output.
func printOr(cmd *cobra.Command, table *terminal.Table, none string) error {
	if table.Len() == 0 {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), none)
		return err
	}
	return table.Print()
}

// printJSON prints an indented JSON document.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// valueText returns a value for a cell.
func valueText(v model.Value) string {
	if text, ok := v.Plain(); ok {
		return text
	}
	return "null"
}
