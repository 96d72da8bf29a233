package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
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
		Args: asUsage(cobra.ExactArgs(1)),
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
		return printTotal(cmd.OutOrStdout(), t)
	})
}

func printTotal(w io.Writer, t query.RangeTotal) error {
	table := terminal.NewTable(w, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	table.Add("MEASURE", "COUNT", "INVALID", "SUM", "MIN", "AVG", "MAX", "P50", "P95", "P99", "FIRST", "LAST")
	for _, name := range t.Summary.Names() {
		m, _ := t.Summary.Measure(name)
		f := query.FiguresOf(m)
		table.Add(name, strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10), decimalText(f.Sum), decimalText(f.Min), floatText(f.Avg),
			decimalText(f.Max), terminal.Percentile(f.P50), terminal.Percentile(f.P95), terminal.Percentile(f.P99), decimalText(f.First), decimalText(f.Last))
	}
	if table.Len() > 1 {
		if err := table.Print(); err != nil {
			return err
		}
	}
	rows := terminal.NewTable(w)
	rows.Add("FIELD", "DISTINCT", "MOST FREQUENT")
	for _, name := range t.Summary.DistinctNames() {
		rows.Add(name, distinctText(t.Summary.Distinct(name)), "")
	}
	for _, name := range t.Summary.DimensionNames() {
		d, _ := t.Summary.Dimension(name)
		rows.Add(name, valuesText(d), frequentText(d))
	}
	if rows.Len() > 1 {
		if err := rows.Print(); err != nil {
			return err
		}
	}
	return printParts(w, t)
}

// printParts says how many events there are, from where they were read, and what is
// missing.
func printParts(w io.Writer, t query.RangeTotal) error {
	fmt.Fprintf(w, "%s events%s", terminal.Grouped(int(t.Summary.Events())), byKind(t.Kinds))
	for i, p := range httpapi.TotalOf(t).Parts {
		separator := ","
		if i == 0 {
			separator = ": read from"
		}
		fmt.Fprintf(w, "%s %s of %s to %s", separator, plural(p.Tier), boundText(p.From), boundText(p.To))
	}
	if !t.Exact {
		fmt.Fprint(w, "; not exact: a row misses a change that arrived too late, or an event cannot be read")
	}
	for _, m := range t.Missing {
		fmt.Fprintf(w, "\nnot included: %s to %s, because the rows and events that would cut the range there have expired", boundText(m.From), boundText(m.To))
	}
	_, err := fmt.Fprintln(w)
	return err
}

func plural(tier string) string {
	if tier == "events" {
		return "raw events"
	}
	return tier + "s"
}

// boundText returns an end of a range; an open end has no time worth reading.
func boundText(t model.Time) string {
	switch {
	case t <= model.MinTime:
		return "the beginning"
	case t >= model.MaxTime:
		return "the end"
	}
	return t.Time().Format("2006-01-02 15:04:05")
}
