package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cost"
	"github.com/tidemark-db/tidemark/internal/designdoc"
	"github.com/tidemark-db/tidemark/internal/files"
)

func docsCommand(to *connection) *cobra.Command {
	var load cost.Forecast
	var folder string
	cmd := &cobra.Command{Use: "docs"}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		to.FromEnvironment()
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		return designdoc.Write(settings, load, func(name string, write func(io.Writer) error) error {
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
