package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/ops/docs"
)

const generateGrafanaHelp = `Print a dashboard of a kind for Grafana

Print a dashboard of a kind as JSON, for the import of Grafana. It has a panel for each measure
that the configuration declares, one for events and one for buckets that may lack a change. Its
queries need "prometheus: true" in tidemark.yaml, and a Prometheus data source in Grafana.

Exit status: 0 done; 2 wrong usage; 3 failed.

Examples:
  tidemark generate grafana READING > readings.json`

func grafanaCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:  "grafana KIND",
		Long: generateGrafanaHelp,
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
			return docs.Dashboard(cmd.OutOrStdout(), kind)
		},
	}
}
