package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
)

const totalLong = `Show one summary of the events in the half-open range [--from, --to), to the
millisecond: counts, sums, averages, percentiles, first and last values, distinct and
most frequent values. Without a range it is that of all events.

It reads complete buckets of the coarsest tiers, and at the ends of the range finer tiers
and raw events. Where those have expired, a part of the range is missing, and a line says
which.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.`

func totalCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{
		Use:   "total SUBJECT",
		Short: "Show one summary of any range of time",
		Long:  totalLong,
		Example: `  tidemark total devices/sensor_01 --last 7d
  tidemark total devices/sensor_01 --from 2026-04-01T06:30:00Z --to 2026-04-20 --output csv`,
		Args: cobra.ExactArgs(1),
	}
	flags.registerSeries(cmd)
	flags.registerBounds(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return showTotal(cmd, to, flags, args[0]) }
	return cmd
}

func showTotal(cmd *cobra.Command, to *connection, flags readFlags, subject string) error {
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	q := from.rollups
	if q.From, q.To, err = flags.timeRange(from.Now()); err != nil {
		return err
	}
	t, err := from.RangeTotal(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, httpapi.TotalOf(t), func() error {
		if t.Summary.Events()+t.Unreadable == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
		}
		return printing.Total(cmd.OutOrStdout(), t)
	})
}
