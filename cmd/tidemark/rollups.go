package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/plot"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type rollupsFlags struct {
	readFlags
	tier, measure, plot string
	stitch, gaps, total bool
}

const rollupsHelp = `Show and plot the rollups of a series

Show the rollups of a series over the half-open range [--from, --to), oldest first. On a
terminal the averages are plotted above the table, with minima and maxima as dots.

Without --tier, it chooses the finest tier that is still stored for the whole range and
has at most --limit buckets; the first line says why. --stitch shows the older part of
the range in coarser tiers where the fine tier has expired. Without a range, it shows the
30 days up to the newest bucket.

With --tier, it shows the newest --limit buckets that begin in the range.

With --total, it shows one summary of the range, to the millisecond; without a range, of all
events. It reads complete buckets of the coarsest tiers, and at the ends of the range finer
tiers and raw events. Where those have expired, a line says which part is missing.

With --zone, or timezone in the profile, --tier day, week, week-sunday, month or quarter counts
the days of that time zone, cut from buckets and events. If the hourly rows have expired, older days are UTC days;
--output json says which. In CSV, the columns date and zone name the day. Other buckets are
shown by their first moment in the zone.

If a subject has several kinds of event, their rollups are merged unless --kind chooses
some of them (separated by commas); several --stream are merged as well. A second table
shows how often each value of a dimension was counted, and the distinct counts.

A counter has INCREASE, over the steps between readings that end in the bucket, and PER
SECOND, that increase divided by the time of these steps. A measure with mean: time has TIME
MEAN, in which a value counts until the next one.

The column NOTE says: open, the bucket has not ended yet; inexact, the row misses a change
that arrived after its events had expired; truncated, it has more measures than a row can
hold; partial, the field was added to the kind when events of the bucket had been counted
without it ("tidemark rebuild --fields" recounts them); N unreadable, so many events could not be
decoded; none, there are no events (with --gaps, for buckets whose rollup cannot have
expired). Three notes with a time say what changed a bucket after it had closed: late, its
newest event arrived then; corrected, an event was corrected last; recomputed, an event was
deleted, or a repair or a late sweep wrote the rollup. If nine of ten buckets have one, as
after an import, a line below the table says so once.

Exit status: 0 done, even if nothing was found; 2 wrong usage; 3 the table could not be
read.

Examples:
  tidemark rollups devices/sensor_01
  tidemark rollups devices/sensor_01 --last 365d --stitch
  tidemark rollups devices/sensor_01 --tier day --zone Europe/Berlin --last 14d
  tidemark rollups devices/sensor_01 --tier hour --from 2026-04-20 --measure temperature --plot always
  tidemark rollups devices/sensor_01 --total --last 7d
  tidemark rollups devices/sensor_01 --total --from 2026-04-01T06:30:00Z --to 2026-04-20 --output csv`

func rollupsCommand(to *connection) *cobra.Command {
	var flags rollupsFlags
	cmd := &cobra.Command{Use: "rollups SUBJECT", Long: rollupsHelp}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 400, "buckets", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "",
		"`tier`: "+tier.UnitNames()+", if the kind has it (default: the best for the range)")
	cmd.Flags().BoolVar(&flags.stitch, "stitch", false, "use coarser tiers where the fine tier has expired")
	cmd.Flags().BoolVar(&flags.gaps, "gaps", false,
		"also show buckets without events, if their rollup cannot have expired")
	cmd.Flags().BoolVar(&flags.total, "total", false, "show one summary of the range, to the millisecond")
	cmd.Flags().StringVar(&flags.measure, "measure", "", "show only this `measure`")
	cmd.Flags().StringVar(&flags.plot, "plot", "auto",
		"plot the averages: `when` is always, never, or auto (on a terminal)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return rollups(cmd, to, flags, args[0]) }
	return cmd
}

func rollups(cmd *cobra.Command, to *connection, flags rollupsFlags, subject string) error {
	if err := flags.check(); err != nil {
		return err
	}
	if flags.total {
		return showTotal(cmd, to, flags.readFlags, subject)
	}
	ctx, from, err := flags.openInZone(cmd, to, subject)
	if err != nil {
		return err
	}
	found, err := flags.reader()(ctx, from)
	if err != nil {
		return readFailure(err)
	}
	if err := flags.checkMeasure(from, found.Rollups); err != nil {
		return err
	}
	b := bounds{Progress: found.Progress, missing: found.Missing}
	return flags.print(cmd, from, found.result, b, func() error {
		switch {
		case len(found.Rollups) == 0 && len(found.Missing) > 0:
			return printing.Missing(cmd.OutOrStdout(), found.Missing)
		case len(found.Rollups) == 0:
			from.printNone(ctx, cmd.ErrOrStderr())
			return nil
		}
		return flags.printTables(cmd.OutOrStdout(), found, from.units())
	})
}

// check returns the error of flags that do not go together.
func (f *rollupsFlags) check() error {
	switch {
	case !slices.Contains([]string{"always", "never", "auto"}, f.plot):
		return usagef("--plot %s: want always, never or auto", f.plot)
	case f.tier != "" && (f.stitch || f.gaps):
		return usagef("--tier %s cannot be combined with --stitch or --gaps, which need the tier to be "+
			"chosen: remove --tier", f.tier)
	case f.total && (f.tier+f.measure != "" || f.stitch || f.gaps):
		return usagef("--total cannot be combined with --tier, --measure, --stitch or --gaps: remove them")
	}
	return nil
}

// foundRollups are rollups that were read, as a response has them, and why they are of their tier.
type foundRollups struct {
	query.RollupPage
	result any
	reason string
}

// checkMeasure returns an error if --measure is neither declared nor in one of the rollups.
func (f *rollupsFlags) checkMeasure(from *seriesReader, found []query.Rollup) error {
	var known []string
	for _, k := range append([]*catalog.Kind{from.rollups.Kind}, from.rollups.With...) {
		known = append(known, lists.Map(k.Measures, func(m rollup.MeasureSpec) string { return m.Name })...)
	}
	for _, r := range found {
		known = append(known, r.Summary.Names()...)
	}
	slices.Sort(known)
	if known = slices.Compact(known); f.measure == "" || slices.Contains(known, f.measure) {
		return nil
	}
	return usagef("--measure %s: no bucket of the range has it, and it is not declared; there are %s%s",
		f.measure, cmp.Or(strings.Join(known, ", "), "none"), names.DidYouMean(f.measure, known))
}

// printTables prints the plots, the reason for the tier, and the tables.
func (f *rollupsFlags) printTables(out io.Writer, found foundRollups, units printing.Units) error {
	width, onTerminal := terminal.Width(out)
	if !onTerminal {
		width = plainWidth
	}
	if f.plot == "always" || f.plot == "auto" && onTerminal {
		if err := plot.Write(out, found.Rollups, f.measure, units, width); err != nil {
			return err
		}
	}
	if found.reason != "" {
		if _, err := fmt.Fprintf(out, "%s\n\n", found.reason); err != nil {
			return err
		}
	}
	if err := f.times.Rollups(out, found.Rollups, f.measure, units); err != nil {
		return err
	}
	hasMeasure := func(r query.Rollup) bool { return slices.Contains(r.Summary.Names(), f.measure) }
	if f.measure != "" && !slices.ContainsFunc(found.Rollups, hasMeasure) {
		fmt.Fprintf(out, "none of the %d buckets in this range has a value of %s\n", len(found.Rollups),
			f.measure)
	}
	if err := printing.Dimensions(out, found.Rollups); err != nil {
		return err
	}
	return printing.Missing(out, found.Missing)
}

// plainWidth is the width of a plot that is not drawn on a terminal.
const plainWidth = 80
