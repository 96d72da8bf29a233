package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const topLong = `Show which values of a dimension came most often, over all buckets of a tier in the
half-open range [--from, --to), with their shares of all that were counted. Where a
subject has several kinds of event, all of them are counted together unless --kind
says which.

A row keeps the most frequent values of its bucket and adds the rest up: where that
happened, the counts are marked, since a value may have come more often than shown.

Exit status: 0 shown, though it be nothing; 2 asked wrongly; 3 the table could not be
read.`

type topFlags struct {
	readFlags
	tier string
}

func topCommand(to *connection) *cobra.Command {
	var flags topFlags
	cmd := &cobra.Command{
		Use:   "top SUBJECT DIMENSION",
		Short: "Show the most frequent values of a dimension, with their shares",
		Long:  topLong,
		Example: `  tidemark top sites/my-site path --kind pageviews --from 2026-04-01 --to 2026-05-01
  tidemark top sites/my-site country --tier minute --last 5m`,
		Args: asUsage(cobra.ExactArgs(2)),
	}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 10, "values", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "day", "`tier`: minute, hour, day or month, as the kind's ladder has it")
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
	q := query.Top{Rollups: from.of, Dimension: dimension, Values: flags.limit}
	q.Unit = unit
	if q.From, q.To, err = flags.buckets(unit, from.Now()); err != nil {
		return err
	}
	shares, total, err := from.Top(ctx, q)
	if err != nil {
		return readFailure(err)
	}
	view := envelope.Top{
		Dimension: dimension, Tier: unit.String(), Buckets: total.Buckets, Open: total.Open,
		Events: total.Summary.Events(), Kinds: envelope.KindsOf(total.Kinds), Shares: shares,
	}
	return flags.show(cmd, from, view, func() error { return printTop(cmd.OutOrStdout(), dimension, shares, total) })
}

func printTop(w io.Writer, dimension string, shares query.Shares, total query.Total) error {
	g := newGrid(w, 1, 2)
	g.add(strings.ToUpper(dimension), "COUNT", "SHARE")
	counted := shares.Other
	for _, v := range shares.Values {
		counted += v.Count
		g.add(v.Value, strconv.FormatInt(v.Count, 10), percent(v.Share))
	}
	if shares.Other > 0 {
		g.add("(any other)", strconv.FormatInt(shares.Other, 10), percent(float64(shares.Other)/float64(counted)))
	}
	if err := g.print(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "of %s events%s in %d buckets%s\n", grouped(int(total.Summary.Events())), byKind(total.Kinds), total.Buckets, caveat(shares.Exact, total.Open))
	return err
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// byKind says how many events are of which kind, where several are counted together.
func byKind(kinds []query.KindEvents) string {
	var parts []string
	for _, k := range kinds {
		if k.Events > 0 {
			parts = append(parts, grouped(int(k.Events))+" "+k.Kind)
		}
	}
	if len(kinds) < 2 || len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func caveat(exact, open bool) string {
	var notes string
	if open {
		notes += "; the last is still open"
	}
	if !exact {
		notes += "; not exact: a row had no room for every value, or a change came too late"
	}
	return notes
}
