package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/release"
)

func versionCommand(*connection) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, the version of Go that built it, and the platform.",
		Example: "  tidemark version",
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "tidemark %s %s %s/%s\n", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
