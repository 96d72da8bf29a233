package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const rollupsLong = `Show the rollups of a subject's series over the half-open range [--from, --to), oldest
first. On a terminal the averages are plotted above the table, in the band of the least
and the greatest values.

Without --tier it is the finest tier that still exists for the whole range and gives at
most --limit buckets, and the first line says why. Where the fine tiers do not reach
back so far, --stitch goes on with coarser ones before. Without a range it is the 30
days up to the newest bucket.

With --tier, the newest --limit buckets that start in the range.

Where a subject has several kinds of event, their rollups are merged unless --kind
says which (several apart by commas), and so are several --stream. Below the measures
stands what the kinds count by value and by distinct value.

A note says what is special of a bucket: open, it has not ended yet; inexact, a change
came too late to be folded; truncated, it has more measures than a row holds;
unreadable, so many events could not be decoded; none, it has no events (--gaps, which
leaves out buckets whose rollup may have expired).

Exit status: 0 shown, though it be nothing; 2 asked wrongly; 3 the table could not be
read.`

type rollupsFlags struct {
	readFlags
	tier, measure, plot string
	stitch, gaps        bool
}

func rollupsCommand(to *connection) *cobra.Command {
	var flags rollupsFlags
	cmd := &cobra.Command{
		Use:   "rollups SUBJECT",
		Short: "Show the rollups of a series in the tier that suits, and plot them",
		Long:  rollupsLong,
		Example: `  tidemark rollups devices/sensor_01
  tidemark rollups devices/sensor_01 --last 8760h --stitch
  tidemark rollups devices/sensor_01 --tier hour --from 2026-04-20 --measure temperature --plot always`,
		Args: asUsage(cobra.ExactArgs(1)),
	}
	flags.registerSeries(cmd)
	flags.registerRange(cmd, 400, "buckets", false)
	cmd.Flags().StringVar(&flags.tier, "tier", "", "`tier`: minute, hour, day or month, as the kind's ladder has it; without it, the one that suits")
	cmd.Flags().BoolVar(&flags.stitch, "stitch", false, "go on with coarser tiers where a fine one does not reach back so far")
	cmd.Flags().BoolVar(&flags.gaps, "gaps", false, "show buckets without events too, where none can have expired")
	cmd.Flags().StringVar(&flags.measure, "measure", "", "show one `measure` only")
	cmd.Flags().StringVar(&flags.plot, "plot", "auto", "plot the averages: `when` is always, never, or auto (on a terminal)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return rollups(cmd, to, flags, args[0]) }
	return cmd
}

func rollups(cmd *cobra.Command, to *connection, flags rollupsFlags, subject string) error {
	if !slices.Contains([]string{"always", "never", "auto"}, flags.plot) {
		return usagef("--plot %s: want always, never or auto", flags.plot)
	}
	if flags.tier != "" && (flags.stitch || flags.gaps) {
		return usagef("--tier %s: --stitch and --gaps are of the tier that suits: leave --tier out", flags.tier)
	}
	ctx, from, err := flags.open(cmd, to, subject)
	if err != nil {
		return err
	}
	read := flags.chart
	if flags.tier != "" {
		read = flags.ofTier
	}
	answer, found, why, err := read(ctx, from)
	if err != nil {
		return readFailure(err)
	}
	return flags.show(cmd, from, answer, func() error {
		if len(found) == 0 {
			from.sayNothing(cmd.ErrOrStderr())
			return nil
		}
		return flags.print(cmd.OutOrStdout(), found, why)
	})
}

// chart reads the tier that suits, and says why it is this one.
func (f *rollupsFlags) chart(ctx context.Context, from *question) (answer any, found []query.Rollup, why string, err error) {
	q := query.Chart{Rollups: from.of, Stitched: f.stitch, Gaps: f.gaps}
	q.Limit, q.Newest = f.limit, f.newest
	if f.limit == 0 {
		q.Limit = math.MaxInt32 // the finest there is
	}
	if q.From, q.To, err = f.chartRange(ctx, from); err != nil {
		return nil, nil, "", err
	}
	curve, err := from.Chart(ctx, q)
	if errors.Is(err, query.ErrTooLong) {
		err = fmt.Errorf("%w (--limit)", err)
	}
	if err != nil {
		return nil, nil, "", err
	}
	return envelope.ChartOf(curve), curve.Rollups, curve.Reason, nil
}

// chartSpan is what a chart shows where no flag says a range.
const chartSpan = 30 * tier.Day24

// chartRange is the range that the flags say, else the time up to the newest bucket: who
// has just brought old data in wants to see it. Charts have no open ends.
func (f *rollupsFlags) chartRange(ctx context.Context, from *question) (begin, end model.Time, err error) {
	now := from.Now()
	if begin, end, err = f.between(now); err != nil {
		return 0, 0, err
	}
	if !f.ranged() {
		if end, err = newestEnd(ctx, from); err != nil {
			return 0, 0, err
		}
	}
	end = min(end, now+1)
	if begin == model.MinTime {
		begin = end.Add(-chartSpan)
	}
	return begin, end, nil
}

// newestEnd is the end of the newest bucket there is, by the coarsest tier, which is
// kept longest: one request, then one of the next finer within it.
func newestEnd(ctx context.Context, from *question) (model.Time, error) {
	end := model.MaxTime + 1
	q := from.of
	q.From, q.To, q.Newest, q.Limit = model.MinTime, end, true, 1
	for _, t := range slices.Backward(q.Kind.Ladder.Tiers) {
		q.Unit = t.Unit
		for r, err := range from.EachRollup(ctx, q) {
			if err != nil {
				return 0, err
			}
			end, q.From = r.Bucket.End, r.Bucket.Start
		}
		if t.Unit == tier.Day {
			break
		}
	}
	return end, nil
}

// ofTier reads the newest buckets of the tier that was asked for.
func (f *rollupsFlags) ofTier(ctx context.Context, from *question) (answer any, found []query.Rollup, why string, err error) {
	q := from.of
	if q.Unit, err = tier.ParseUnit(f.tier); err != nil {
		return nil, nil, "", usagef("--tier: %w", err)
	}
	q.Newest, q.Limit = true, f.limit
	if q.From, q.To, err = f.buckets(q.Unit, from.Now()); err != nil {
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
	return envelope.RollupsOf(query.RollupPage{Rollups: found}), found, "", nil
}

// print writes plots, the reason, and the tables.
func (f *rollupsFlags) print(out io.Writer, found []query.Rollup, why string) error {
	if width, ok := plotWidth(out, f.plot); ok {
		printPlots(out, found, f.measure, width)
	}
	if why != "" {
		if _, err := fmt.Fprintf(out, "%s\n\n", why); err != nil {
			return err
		}
	}
	if err := printRollups(out, found, f.measure); err != nil {
		return err
	}
	return printDimensions(out, found)
}

func printRollups(w io.Writer, found []query.Rollup, only string) error {
	g := newGrid(w, 2, 3, 4, 5, 6, 7, 8)
	g.add("BUCKET", "MEASURE", "COUNT", "INVALID", "MIN", "AVG", "MAX", "STDDEV", "P95", "NOTE")
	for _, r := range found {
		if r.Gap {
			g.add(r.Bucket.Label(), "", "0", "", "", "", "", "", "", "none")
		}
		for _, name := range r.Summary.Names() {
			if only != "" && name != only {
				continue
			}
			f := query.FiguresOf(r.Measure(name))
			g.add(r.Bucket.Label(), name, strconv.FormatInt(f.Count, 10), strconv.FormatInt(f.Invalid, 10),
				decimalText(f.Min), short(f.Avg), decimalText(f.Max), short(f.Stddev), short(f.P95), note(r))
		}
	}
	return g.print(w)
}

// decimalText is every digit of a decimal, "" where there is none.
func decimalText(d *model.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
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
