package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/docs"
)

const generateDocsHelp = `Write the design of a deployment from its configuration

Write a design document, the keys of the table, the matrix of access patterns, and capacity
and cost, of every kind that tidemark.yaml declares, as Markdown: design.md, table.md,
access-patterns.md and capacity.md in a folder, or one after the other on standard output.
Use it to review a design before it is deployed, and to keep its documents true afterwards.

Keys are built, routes listed and capacity units counted by the code that is deployed. The
flags say which load the capacity and cost are of. Nothing is read from or written to a
table.

Examples:
  tidemark generate docs --to docs/table
  tidemark generate docs --rate 4/h --series 200`

func docsCommand(to *connection) *cobra.Command {
	var load cost.Forecast
	var folder string
	cmd := &cobra.Command{Use: "docs", Long: generateDocsHelp}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		to.FromEnvironment()
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		return docs.Write(settings, load, func(name string, write func(io.Writer) error) error {
			if folder != "" {
				name = folder + "/" + name
			} else {
				name = "" // standard output
			}
			return files.WriteTo(cmd.Context(), name, cmd.OutOrStdout(), write)
		})
	}
	registerLoad(cmd, &load)
	cmd.Flags().StringVar(&folder, "to", "", "`folder` of the files (default: standard output)")
	return cmd
}
