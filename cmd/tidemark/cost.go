package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cost"
)

const costLong = `Show what the events of each kind cost, by the configuration. The units are measured: the
deployed code runs on a table in memory. An example event has all declared fields.

Prices are those of us-east-1, on demand unless the column says otherwise. Idle costs of a
stage are not included: "make deploy-dry" shows them.

Exit status: 0 done; 2 wrong usage; 3 failed.`

func costCommand(to *connection) *cobra.Command {
	var flags cost.Forecast
	cmd := &cobra.Command{
		Use:   "cost [KIND...]",
		Short: "Show what events cost, by the configuration",
		Long:  costLong,
		Args:  cobra.ArbitraryArgs,
		Example: `  tidemark cost READING --rate 1/m --series 1000
  tidemark cost --rate 1/s --batch 60`,
		RunE: func(cmd *cobra.Command, args []string) error {
			to.FromEnvironment()
			settings, err := to.Settings()
			if err != nil {
				return err
			}
			return flags.Print(cmd.OutOrStdout(), settings, args)
		},
	}
	cmd.Flags().StringVar(&flags.Rate, "rate", "1/m", "`rate` of the events of a series, such as 4/h")
	cmd.Flags().IntVar(&flags.Batch, "batch", 1, "`number` of events in a request")
	cmd.Flags().IntVar(&flags.Series, "series", 1000, "`number` of series")
	return cmd
}
