package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// rebuildGap repairs what arrived in a range of time.
func rebuildGap(cmd *cobra.Command, table *dynamo.Table, r *repair.Repairer, text string) error {
	ctx := cmd.Context()
	state, err := repair.ReadStreamState(ctx, table)
	if err != nil {
		return fmt.Errorf("read the gaps: %w", err)
	}
	ranges := state.Unprocessed(wallClock())
	if text != "recorded" {
		gap, err := arguments.Gap(text)
		if err != nil {
			return err
		}
		ranges = []storage.Gap{gap}
	}
	if len(ranges) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "no gap is recorded")
		return nil
	}
	changed, err := repairArrivals(cmd, r, ranges)
	switch {
	case err != nil:
		return err
	case r.DryRun && changed > 0:
		return checkFailed
	case r.DryRun:
		return nil
	}
	return state.ForgetGaps(ctx, table, ranges)
}

// repairArrivals repairs what arrived in ranges of time, prints the report, and returns
// how many rows were wrong.
func repairArrivals(cmd *cobra.Command, r *repair.Repairer, ranges []storage.Gap) (changed int, err error) {
	show, done := showSteps(cmd)
	r.Now = wallClock
	r.MaxNotes = printing.MaxDifferences
	r.Progress = show
	report, err := r.RepairArrivals(cmd.Context(), ranges)
	done()
	if err == nil || report.Items > 0 {
		printing.Arrivals(cmd.OutOrStdout(), report, r.DryRun)
	}
	return report.Changed, err
}
