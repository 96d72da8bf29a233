package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cost"
)

func costCommand(to *connection) *cobra.Command {
	var flags cost.Forecast
	cmd := &cobra.Command{
		Use: "cost [KIND...]",
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
