package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/terminal"
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
		Args: asUsage(cobra.ExactArgs(2)),
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
	return flags.print(cmd, from, httpapi.TopOf(q, values, total), func() error { return printTop(cmd.OutOrStdout(), dimension, values, total) })
}

func printTop(w io.Writer, dimension string, values query.TopValues, total query.Total) error {
	table := terminal.NewTable(w, 1, 2)
	table.Add(strings.ToUpper(dimension), "COUNT", "SHARE")
	counted := values.Other
	for _, v := range values.Values {
		counted += v.Count
		table.Add(v.Value, strconv.FormatInt(v.Count, 10), percent(v.Share))
	}
	if values.Other > 0 {
		table.Add("(any other)", strconv.FormatInt(values.Other, 10), percent(float64(values.Other)/float64(counted)))
	}
	if err := table.Print(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "of %s events%s in %d buckets%s\n", terminal.Grouped(int(total.Summary.Events())), byKind(total.Kinds), total.Buckets, caveats(values.Exact, total.Open))
	return err
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// byKind returns how many events each kind has, if several are counted together.
func byKind(kinds []query.KindEvents) string {
	var parts []string
	for _, k := range kinds {
		if k.Events > 0 {
			parts = append(parts, terminal.Grouped(int(k.Events))+" "+k.Kind)
		}
	}
	if len(kinds) < 2 || len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func caveats(exact, open bool) string {
	var text string
	if open {
		text += "; the last bucket is still open"
	}
	if !exact {
		text += "; not exact: a row does not hold every value, misses a change that arrived too late, or was folded before the dimension was declared"
	}
	return text
}
