package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/grafana"
)

func grafanaCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "grafana KIND",
		RunE: func(cmd *cobra.Command, args []string) error {
			to.FromEnvironment()
			kinds, err := to.Catalog()
			if err != nil {
				return err
			}
			kind, ok := kinds.Kind(args[0])
			if !ok {
				return usagef("the configuration has no kind %s", args[0])
			}
			return grafana.Dashboard(cmd.OutOrStdout(), kind)
		},
	}
}
