package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const gapLong = `Print how far the table stream is processed, and list its gaps: ranges of time in which
nothing was processed for as long as the table stream keeps a change (24 h). Run it when
the StreamGaps alarm fires. Changes of a gap may be missing in the rollups. A table that
receives no writes for a day, not even the heartbeats of a running stack, has a gap too,
and misses nothing. "tidemark rebuild --gap
recorded" checks which it is, repairs what is wrong and removes the gaps; with --dry-run
it only checks.

It reads one partition: one read unit.

Exit status: 0 no gap; 1 there are gaps, or nothing was processed for 23 hours; 2 wrong
usage; 3 failed.`

func gapCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:     "gap",
		Short:   "List ranges of the table stream that were not processed in time",
		Long:    gapLong,
		Example: "  tidemark gap\n  tidemark rebuild --gap recorded --dry-run",
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			table, err := to.openTable(cmd.Context())
			if err != nil {
				return err
			}
			state, err := repair.ReadStreamState(cmd.Context(), table)
			if err != nil {
				return fmt.Errorf("read the stream progress: %w", err)
			}
			return printStreamState(cmd.OutOrStdout(), state, wallClock())
		},
	}
}

func printStreamState(w io.Writer, s repair.StreamState, now model.Time) error {
	if s.Processed == 0 && len(s.Gaps) == 0 {
		fmt.Fprintln(w, "nothing has been processed yet: progress is recorded from the first batch on")
		return nil
	}
	if s.Processed != 0 {
		fmt.Fprintf(w, "processed up to %s (%s ago)\n", s.Processed, now.Sub(s.Processed).Round(time.Second))
	}
	for _, g := range s.Gaps {
		fmt.Fprintf(w, "gap: %s..%s (%s)\n", g.From, g.To, g.To.Sub(g.From).Round(time.Second))
	}
	if s.Stalled(now) {
		fmt.Fprintln(w, "nothing has been processed since: is the mapping enabled? If nothing was written either, nothing is wrong")
	}
	if len(s.Unprocessed(now)) > 0 {
		fmt.Fprintln(w, "check what is missing, without writing: tidemark rebuild --gap recorded --dry-run")
		return checkFailed
	}
	return nil
}

// rebuildGap repairs what arrived in a range of time.
func rebuildGap(cmd *cobra.Command, table *dynamo.Table, kinds *catalog.Catalog, agg *aggregate.Aggregator, flags rebuildFlags) error {
	ctx := cmd.Context()
	state, err := repair.ReadStreamState(ctx, table)
	if err != nil {
		return fmt.Errorf("read the gaps: %w", err)
	}
	ranges := state.Unprocessed(wallClock())
	if flags.gap != "recorded" {
		if ranges, err = parseGap(flags.gap); err != nil {
			return err
		}
	}
	if len(ranges) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no gap is recorded")
		return nil
	}
	changed, err := repairArrivals(cmd, &repair.ArrivalRepairer{
		Table: table, Catalog: kinds, Aggregator: agg,
		DryRun: flags.dryRun, ReplaceDamaged: flags.rewriteUnreadable, Rate: flags.rate,
	}, ranges)
	switch {
	case err != nil:
		return err
	case flags.dryRun && changed > 0:
		return checkFailed
	case flags.dryRun:
		return nil
	}
	return state.ForgetGaps(ctx, table, ranges)
}

// parseGap parses FROM..TO.
func parseGap(text string) ([]entity.Gap, error) {
	from, to, ok := strings.Cut(text, "..")
	if !ok || from == "" || to == "" {
		return nil, usagef("--gap %q: want FROM..TO, as 2026-04-20T09:00:00Z..2026-04-21T12:00:00Z, or recorded", text)
	}
	var g entity.Gap
	var err error
	if g.From, err = arguments.Time("gap", from, 0); err != nil {
		return nil, err
	}
	if g.To, err = arguments.Time("gap", to, 0); err != nil {
		return nil, err
	}
	if g.From >= g.To {
		return nil, usagef("--gap %s: the range ends before it begins", text)
	}
	return []entity.Gap{g}, nil
}

// repairArrivals repairs what arrived in ranges of time, prints the report, and returns
// how many rows were wrong.
func repairArrivals(cmd *cobra.Command, r *repair.ArrivalRepairer, ranges []entity.Gap) (changed int, err error) {
	show, done := showSteps(cmd)
	r.Now, r.MaxNotes, r.Progress = wallClock, maxDifferences, show
	report, err := r.Repair(cmd.Context(), ranges)
	done()
	if err == nil || report.Items > 0 {
		printArrivalReport(cmd.OutOrStdout(), report, r.DryRun)
	}
	return report.Changed, err
}

func printArrivalReport(w io.Writer, r *repair.ArrivalReport, dryRun bool) {
	for _, g := range r.Ranges {
		fmt.Fprintf(w, "events that arrived in %s..%s\n", g.From, g.To)
	}
	fmt.Fprintf(w, "audited %s items: %s buckets to recompute\n", terminal.Grouped(r.Items), terminal.Grouped(r.Suspects))
	changed := "changed"
	if dryRun {
		changed = "would change; nothing was written"
	}
	fmt.Fprintf(w, "recomputed %s buckets: %s sealed, %s not created, %s %s\n", terminal.Grouped(r.Recomputed),
		terminal.Grouped(r.Sealed), terminal.Grouped(r.NotCreated), terminal.Grouped(r.Changed), changed)
	printNotes(w, r.Notes, r.Changed)
}

// printNotes prints the notes about rows, sorted, and how many rows of all were left out.
func printNotes(w io.Writer, notes []aggregate.Note, all int) {
	lines := make([]string, len(notes))
	for i, n := range notes {
		lines[i] = fmt.Sprintf("%s %s %s: %s", n.Key.Series, n.Key.Tier, n.Key.Start, n.Text)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	if more := all - len(lines); more > 0 {
		fmt.Fprintf(w, "… and %s more\n", terminal.Grouped(more))
	}
}
