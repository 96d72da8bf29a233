package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

func gapCommand(to *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "gap",
		Short: "List ranges of the table stream that were not processed in time",
		RunE: func(cmd *cobra.Command, _ []string) error {
			table, err := to.OpenTable(cmd.Context())
			if err != nil {
				return err
			}
			state, err := repair.ReadStreamState(cmd.Context(), table)
			if err != nil {
				return fmt.Errorf("read the stream progress: %w", err)
			}
			now := wallClock()
			printing.StreamState(cmd.OutOrStdout(), state, now)
			if len(state.Unprocessed(now)) > 0 {
				return checkFailed
			}
			return nil
		},
	}
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
		gap, err := arguments.Gap(flags.gap)
		if err != nil {
			return err
		}
		ranges = []entity.Gap{gap}
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

// repairArrivals repairs what arrived in ranges of time, prints the report, and returns
// how many rows were wrong.
func repairArrivals(cmd *cobra.Command, r *repair.ArrivalRepairer, ranges []entity.Gap) (changed int, err error) {
	show, done := showSteps(cmd)
	r.Now, r.MaxNotes, r.Progress = wallClock, printing.MaxDifferences, show
	report, err := r.Repair(cmd.Context(), ranges)
	done()
	if err == nil || report.Items > 0 {
		printing.Arrivals(cmd.OutOrStdout(), report, r.DryRun)
	}
	return report.Changed, err
}
