package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type rollupsFlags struct {
	series  seriesFlags
	within  rangeFlags
	tier    string
	measure string
	plot    string
}

func rollupsCommand(to *connection) *cobra.Command {
	var flags rollupsFlags
	cmd := &cobra.Command{
		Use:   "rollups SUBJECT",
		Short: "Show the rollups of a series in one tier, and plot their averages",
		Long: `Show the rollups of a series in one tier, oldest first: the newest of those whose
bucket starts in the half-open range [--from, --to). On a terminal the averages are
plotted above the table.

Where a subject has several kinds of event, their rollups are merged unless --kind
says which (one, or several apart by commas). Below the measures stands what the kinds
count by value and by distinct value.

A note says what is special of a bucket: open, it has not ended yet; inexact, a change
came too late to be folded; truncated, it has more measures than a row holds;
unreadable, so many events could not be decoded.

Exit status: 0 shown, though it be nothing; 2 asked wrongly; 3 the table could not be
read.`,
		Example: `  tidemark rollups devices/sensor_01 --tier day
  tidemark rollups devices/sensor_01 --tier hour --from 2026-04-20 --measure temperature --plot always`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	flags.series.register(cmd)
	flags.within.register(cmd, 100, "buckets")
	flags.within.registerLast(cmd)
	cmd.Flags().StringVar(&flags.tier, "tier", "hour", "`tier`: minute, hour, day or month, as the kind's ladder has it")
	cmd.Flags().StringVar(&flags.measure, "measure", "", "show one `measure` only")
	cmd.Flags().StringVar(&flags.plot, "plot", "auto", "plot the averages: `when` is always, never, or auto (on a terminal)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return rollups(cmd, to, flags, args[0]) }
	return cmd
}

func rollups(cmd *cobra.Command, to *connection, flags rollupsFlags, subject string) error {
	if !slices.Contains([]string{"always", "never", "auto"}, flags.plot) {
		return usagef("--plot %s: want always, never or auto", flags.plot)
	}
	unit, err := tier.ParseUnit(flags.tier)
	if err != nil {
		return usagef("--tier: %w", err)
	}
	q, from, err := flags.series.openTogether(cmd.Context(), to, subject)
	if err != nil {
		return err
	}
	q.Unit, q.Newest, q.Limit = unit, true, flags.within.limit
	if q.From, q.To, err = flags.within.buckets(unit, from.Now()); err != nil {
		return err
	}
	var found []query.Rollup
	for rollup, err := range from.EachRollup(cmd.Context(), q) {
		if err != nil {
			return readFailure(err)
		}
		found = append(found, rollup)
	}
	slices.Reverse(found)
	out := cmd.OutOrStdout()
	if width, ok := plotWidth(out, flags.plot); ok {
		printPlots(out, found, flags.measure, width)
	}
	if err := printRollups(out, found, flags.measure); err != nil {
		return err
	}
	return printDimensions(out, found)
}

// plainWidth is how wide a plot is where no terminal says.
const plainWidth = 80

// plotWidth is how many characters wide a plot may be; ok is false where none is
// wanted.
func plotWidth(w io.Writer, when string) (width int, ok bool) {
	file, isFile := w.(*os.File)
	onTerminal := isFile && term.IsTerminal(int(file.Fd()))
	if when == "never" || when == "auto" && !onTerminal {
		return 0, false
	}
	if onTerminal {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
			return width, true
		}
	}
	return plainWidth, true
}

func printRollups(w io.Writer, found []query.Rollup, only string) error {
	g := grid{right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}}
	g.add("BUCKET", "MEASURE", "COUNT", "INVALID", "MIN", "AVG", "MAX", "STDDEV", "P95", "NOTE")
	for _, r := range found {
		for _, name := range r.Summary.Names() {
			if only != "" && name != only {
				continue
			}
			f := query.FiguresOf(r.Measure(name))
			g.add(r.Bucket.Label(), name, strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10),
				exactText(f.Min), short(f.Avg), exactText(f.Max), short(f.Stddev), short(f.P95), note(r))
		}
	}
	return g.print(w)
}

// short is a derived number to the six digits that people compare.
func short(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', 6, 64)
}

func note(r query.Rollup) string {
	var notes []string
	if r.Open {
		notes = append(notes, "open")
	}
	if !r.Exact {
		notes = append(notes, "inexact")
	}
	if r.Summary.Truncated() {
		notes = append(notes, "truncated")
	}
	if r.Unreadable > 0 {
		notes = append(notes, fmt.Sprintf("%d unreadable", r.Unreadable))
	}
	return strings.Join(notes, ", ")
}
