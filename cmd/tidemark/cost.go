package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/ops/cost"
)

const costHelp = `Show what events cost, by the configuration

Show what the events of each kind cost, by the configuration. The units are measured: the
deployed code runs on a table in memory. An example event has all declared fields.

Prices are for us-east-1, on demand unless the column says otherwise. Idle costs of a
stage are not included: "make deploy-dry" shows them.

With --events, each configuration of table and source is priced for so many events of each
kind. The two totals are for a table on demand, as a stage has it without "billing", and for
a provisioned one. Then follow what always-on databases cost, from which load on they are
cheaper than a table on demand, and the price of a flood by the ceilings of each stage. A source is priced with the invocations of
ingest and their logs. Instances are single ones; the work of operating them is not counted.

Exit status: 0 done; 2 wrong usage; 3 failed.

Examples:
  tidemark cost READING --rate 1/m --series 1000
  tidemark cost --rate 1/s --batch 60
  tidemark cost READING --events 1e6/day --size 300 --batch 60`

func costCommand(to *connection) *cobra.Command {
	var flags cost.Forecast
	cmd := &cobra.Command{
		Use:  "cost [KIND...]",
		Long: costHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			to.FromEnvironment()
			settings, err := to.Settings()
			if err != nil {
				return err
			}
			return flags.Print(cmd.OutOrStdout(), settings, args)
		},
	}
	registerLoad(cmd, &flags)
	cmd.Flags().StringVar(&flags.Events, "events", "", "`number` of events of a kind, such as 1e6/day, to show what each configuration costs")
	cmd.Flags().IntVar(&flags.Size, "size", 0, "`bytes` of such an event, if more than its declared fields have")
	return cmd
}

// registerLoad registers the flags of a load whose costs are printed.
func registerLoad(cmd *cobra.Command, flags *cost.Forecast) {
	cmd.Flags().StringVar(&flags.Rate, "rate", "1/m", "`rate` of the events of a series, such as 4/h")
	cmd.Flags().IntVar(&flags.Batch, "batch", 1, "`number` of events in a request")
	cmd.Flags().IntVar(&flags.Series, "series", 1000, "`number` of series")
}
