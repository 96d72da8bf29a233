package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const topLong = `Show the most frequent values of a dimension, such as the pages of a site that were
viewed most, with their shares of all counted events. It adds up the buckets of one tier
in the half-open range [--from, --to). If a subject has several kinds of event, all of
them are counted together unless --kind chooses.

A row keeps the most frequent values of its bucket and adds up the rest. Where that
happened, a value may be more frequent than shown, and the last line says so.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.`

type topFlags struct {
	readFlags
	tier string
}

func topCommand(to *connection) *cobra.Command {
	var flags topFlags
	cmd := &cobra.Command{
		Use:   "top SUBJECT DIMENSION",
		Short: "Show the most frequent values of a dimension",
		Long:  topLong,
		Example: `  tidemark top sites/my-site path --kind pageviews --from 2026-04-01 --to 2026-05-01
  tidemark top sites/my-site country --tier minute --last 5m`,
		Args: cobra.ExactArgs(2),
	}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 10, "values", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "day", "`tier`: "+tier.UnitNames()+", if the kind has it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return top(cmd, to, flags, args[0], args[1]) }
	return cmd
}

func top(cmd *cobra.Command, to *connection, flags topFlags, subject, dimension string) error {
	unit, err := tier.ParseUnit(flags.tier)
	if err != nil {
		return usagef("--tier: %w", err)
	}
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	q := query.Top{Rollups: from.rollups, Dimension: dimension, Values: flags.limit}
	q.Unit = unit
	if q.From, q.To, err = flags.bucketRange(unit, from.Now()); err != nil {
		return err
	}
	values, total, err := from.Top(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, httpapi.TopOf(q, values, total), func() error { return printing.Top(cmd.OutOrStdout(), dimension, values, total) })
}
