package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/ops/cost"
)

const costHelp = `Show what events cost, by the configuration

Show what the events of each kind cost, by the configuration. The units are measured: the
deployed code runs on a table in memory. An example event has all declared fields.

Prices are AWS's list prices in us-east-1, before any free tier. What a stage costs at rest is not
included: "make deploy-dry" shows it.

With --events, the price of so many events of each kind in a month: each part of the stage's own
configuration and their total, by the source that the stage has for the kind (AWS IoT, the collector of
websites, or the HTTP API). Then follow the totals of other configurations, of databases that run all the time,
and the price of a flood by the ceilings of each stage. The number of series follows from --events and --rate.
--processes is how many processes of a function share the events at random: each of them reads which
buckets are in the queue.

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
	cmd.Flags().StringVar(&flags.Events, "events", "",
		"`number` of events of a kind, such as 1e6/month, to show what each configuration costs")
	cmd.Flags().StringVar(&flags.Stage, "stage", "",
		"`name` of a stage of tidemark.yaml (default: the last one)")
	cmd.Flags().IntVar(&flags.Processes, "processes", 1, "`number` of processes that share the events")
	cmd.Flags().IntVar(&flags.Size, "size", 0, "`bytes` of such an event, if more than its declared fields have")
	return cmd
}

// registerLoad registers the flags of a load whose costs are printed.
func registerLoad(cmd *cobra.Command, flags *cost.Forecast) {
	cmd.Flags().StringVar(&flags.Rate, "rate", "1/m", "`rate` of the events of a series, such as 4/h")
	cmd.Flags().IntVar(&flags.Batch, "batch", 1, "`number` of events in a request")
	cmd.Flags().IntVar(&flags.Series, "series", 0, "`number` of series (default 1000; with --events it follows)")
}
