package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/terminal"
)

// printOr prints a table, or, if it has no rows, a line on the error output.
func printOr(cmd *cobra.Command, table *terminal.Table, none string) error {
	if table.Len() == 0 {
		return printNone(cmd, none)
	}
	return table.Print()
}

// printNone prints a line on the error output: there is nothing to print.
func printNone(cmd *cobra.Command, line string) error {
	_, err := fmt.Fprintln(cmd.ErrOrStderr(), line)
	return err
}

// printJSON prints an indented JSON document.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
