package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
)

func totalCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{
		Use:   "total SUBJECT",
		Short: "Show one summary of any range of time",
		Args:  cobra.ExactArgs(1),
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
