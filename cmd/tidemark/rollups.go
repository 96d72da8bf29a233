package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/localday"
	"github.com/tidemark-db/tidemark/internal/plot"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

type rollupsFlags struct {
	readFlags
	tier, measure, plot string
	stitch, gaps        bool
}

func rollupsCommand(to *connection) *cobra.Command {
	var flags rollupsFlags
	cmd := &cobra.Command{Use: "rollups SUBJECT"}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 400, "buckets", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "", "`tier`: "+tier.UnitNames()+", if the kind has it (default: the best for the range)")
	cmd.Flags().BoolVar(&flags.stitch, "stitch", false, "use coarser tiers where the fine tier has expired")
	cmd.Flags().BoolVar(&flags.gaps, "gaps", false, "also show buckets without events, if their rollup cannot have expired")
	cmd.Flags().StringVar(&flags.measure, "measure", "", "show only this `measure`")
	cmd.Flags().StringVar(&flags.plot, "plot", "auto", "plot the averages: `when` is always, never, or auto (on a terminal)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return rollups(cmd, to, flags, args[0]) }
	cmd.AddCommand(modeCommand(to, true), modeCommand(to, false))
	return cmd
}

func rollups(cmd *cobra.Command, to *connection, flags rollupsFlags, subject string) error {
	if !slices.Contains([]string{"always", "never", "auto"}, flags.plot) {
		return usagef("--plot %s: want always, never or auto", flags.plot)
	}
	if flags.tier != "" && (flags.stitch || flags.gaps) {
		return usagef("--tier %s cannot be combined with --stitch or --gaps, which need the tier to be chosen: remove --tier", flags.tier)
	}
	ctx, from, err := flags.openInZone(cmd, to, subject)
	if err != nil {
		return err
	}
	read := flags.readChart
	if flags.tier != "" {
		read = flags.readTier
	}
	if _, err := localday.ParseUnit(flags.tier); err == nil && flags.times.Zone != nil {
		read = flags.readLocal
	}
	result, found, reason, err := read(ctx, from)
	if err != nil {
		return readFailure(err)
	}
	return flags.print(cmd, from, result, func() error {
		if len(found) == 0 {
			from.printNone(ctx, cmd.ErrOrStderr())
			return nil
		}
		return flags.printTables(cmd.OutOrStdout(), found, reason)
	})
}

// readChart reads the tier that suits the range, and returns why it is this tier.
func (f *rollupsFlags) readChart(ctx context.Context, from *seriesReader) (result any, found []query.Rollup, reason string, err error) {
	q := query.Chart{Rollups: from.rollups, Stitched: f.stitch, Gaps: f.gaps, Zone: f.times.Zone}
	q.Limit, q.Newest = f.limit, f.newest
	if f.limit == 0 {
		q.Limit = math.MaxInt32 // the finest tier that is stored
	}
	if q.From, q.To, err = f.chartRange(ctx, from); err != nil {
		return nil, nil, "", err
	}
	chart, err := from.Chart(ctx, q)
	if errors.Is(err, query.ErrTooLong) {
		err = fmt.Errorf("%w (--limit)", err)
	}
	if err != nil {
		return nil, nil, "", err
	}
	return httpapi.ChartOf(chart), chart.Rollups, chart.Reason, nil
}

// chartSpan is the range of a chart without flags.
const chartSpan = 30 * tier.Day24

// chartRange returns the range of the flags, otherwise the one up to the newest bucket, so
// that old data which was just loaded is shown. A chart has no open ends.
func (f *rollupsFlags) chartRange(ctx context.Context, from *seriesReader) (begin, end model.Time, err error) {
	now := from.Now()
	if begin, end, err = f.timeRange(now); err != nil {
		return 0, 0, err
	}
	if !f.hasRange() {
		if end, err = from.NewestEnd(ctx, from.rollups); err != nil {
			return 0, 0, err
		}
	}
	end = min(end, now+1)
	if begin == model.MinTime {
		begin = end.Add(-chartSpan)
	}
	return begin, end, nil
}

// readLocal reads the days, weeks or months of a time zone.
func (f *rollupsFlags) readLocal(ctx context.Context, from *seriesReader) (result any, found []query.Rollup, reason string, err error) {
	q := query.Local{Rollups: from.rollups, Zone: f.times.Zone}
	if q.Unit, err = localday.ParseUnit(f.tier); err != nil {
		return nil, nil, "", err
	}
	if q.From, q.To, err = f.chartRange(ctx, from); err != nil {
		return nil, nil, "", err
	}
	found, through, err := from.LocalRollups(ctx, q)
	return httpapi.RollupsOf(query.RollupPage{Rollups: found, CompleteThrough: through}), found, "", err
}

// readTier reads the newest buckets of the tier that --tier names.
func (f *rollupsFlags) readTier(ctx context.Context, from *seriesReader) (result any, found []query.Rollup, reason string, err error) {
	q := from.rollups
	if q.Unit, err = tier.ParseUnit(f.tier); err != nil {
		return nil, nil, "", usagef("--tier: %w", err)
	}
	q.Newest, q.Limit = true, f.limit
	if q.From, q.To, err = f.bucketRange(q.Unit, from.Now()); err != nil {
		return nil, nil, "", err
	}
	for r, err := range from.EachRollup(ctx, q) {
		if err != nil {
			return nil, nil, "", err
		}
		found = append(found, r)
	}
	if !f.newest {
		slices.Reverse(found)
	}
	return httpapi.RollupsOf(query.RollupPage{Rollups: found}), found, "", nil
}

// printTables prints the plots, the reason for the tier, and the tables.
func (f *rollupsFlags) printTables(out io.Writer, found []query.Rollup, reason string) error {
	width, onTerminal := terminal.Width(out)
	if !onTerminal {
		width = plainWidth
	}
	if f.plot == "always" || f.plot == "auto" && onTerminal {
		if err := plot.Write(out, found, f.measure, width); err != nil {
			return err
		}
	}
	if reason != "" {
		if _, err := fmt.Fprintf(out, "%s\n\n", reason); err != nil {
			return err
		}
	}
	if err := f.times.Rollups(out, found, f.measure); err != nil {
		return err
	}
	return printing.Dimensions(out, found)
}

// plainWidth is the width of a plot that is not drawn on a terminal.
const plainWidth = 80

func modeCommand(to *connection, deferred bool) *cobra.Command {
	cmd := &cobra.Command{Use: "immediate KIND [TIER]"}
	if deferred {
		cmd = &cobra.Command{Use: "defer KIND [TIER]"}
	}
	stack := cmd.Flags().String("stack", "", "CloudFormation `stack` whose table it is")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return changeMode(cmd, to, *stack, args, deferred) }
	return cmd
}

func changeMode(cmd *cobra.Command, to *connection, stack string, args []string, deferred bool) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	if err := to.UseStack(ctx, stack); err != nil {
		return err
	}
	c, err := to.changer(ctx)
	if err != nil {
		return err
	}
	kinds, err := c.Declare()
	if err != nil {
		return err
	}
	kind, err := arguments.Kind(kinds, args[0])
	if err != nil {
		return err
	}
	if err := changeover.CheckMode(kind, args[1:], deferred); err != nil {
		return err
	}
	if err := printApplied(ctx, out, c, kind.Name); err != nil || deferred {
		return err
	}
	worked, err := c.EndDeferral(ctx, kind.Name)
	if early := (*changeover.TooEarlyError)(nil); errors.As(err, &early) {
		fmt.Fprintln(out, early)
		return checkFailed
	}
	if err == nil {
		fmt.Fprintf(out, "%s: rows are up to date; %d were written\n", kind.Name, worked)
	}
	return err
}
