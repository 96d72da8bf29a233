package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type topFlags struct {
	readFlags
	tier string
}

func topCommand(to *connection) *cobra.Command {
	var flags topFlags
	cmd := &cobra.Command{Use: "top SUBJECT DIMENSION"}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 10, "values", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "", "`tier`: "+tier.UnitNames()+", if the kind has it (default day; in a time zone exactly the range)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return top(cmd, to, flags, args[0], args[1]) }
	return cmd
}

func top(cmd *cobra.Command, to *connection, flags topFlags, subject, dimension string) error {
	ctx, from, err := flags.openInZone(cmd, to, subject)
	if err != nil {
		return err
	}
	q := query.Top{Rollups: from.rollups, Dimension: dimension, Values: flags.limit}
	bounds := flags.timeRange
	if flags.tier != "" || flags.times.Zone == nil {
		if q.Unit, err = tier.ParseUnit(cmp.Or(flags.tier, "day")); err != nil {
			return usagef("--tier: %w", err)
		}
		bounds = func(now model.Time) (from, to model.Time, err error) { return flags.bucketRange(q.Unit, now) }
	}
	if q.From, q.To, err = bounds(from.Now()); err != nil {
		return err
	}
	values, total, err := from.Top(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, httpapi.TopOf(q, values, total), func() error { return printing.Top(cmd.OutOrStdout(), dimension, values, total) })
}

func totalCommand(to *connection) *cobra.Command {
	var flags readFlags
	cmd := &cobra.Command{Use: "total SUBJECT"}
	flags.registerSeries(cmd)
	flags.registerBounds(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return showTotal(cmd, to, flags, args[0]) }
	return cmd
}

func showTotal(cmd *cobra.Command, to *connection, flags readFlags, subject string) error {
	ctx, from, err := flags.openInZone(cmd, to, subject)
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
