package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair/reshape"
)

// reshapeKind recomputes the rollups of a kind that lack a field.
func reshapeKind(cmd *cobra.Command, to *connection, flags rebuildFlags) error {
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	kind, err := names.Kind(kinds, flags.fields)
	if err != nil {
		return fmt.Errorf("--fields: %w", err)
	}
	show, done := showSteps(cmd)
	r := &reshape.Reshaper{
		Table: table, Catalog: kinds, Now: wallClock, Rate: int(math.Ceil(flags.rate)), Progress: show,
	}
	run := r.Switch
	if flags.dryRun {
		run = r.Compare
	}
	report, err := run(cmd.Context(), kind.Name)
	done()
	if early := (*reshape.TooEarlyError)(nil); errors.As(err, &early) {
		fmt.Fprintln(cmd.OutOrStdout(), early)
		return checkFailed
	}
	if err != nil {
		return err
	}
	if err := printing.Reshape(cmd.OutOrStdout(), report, !flags.dryRun); err != nil || !flags.dryRun {
		return err
	}
	if slices.ContainsFunc(report.Tiers, func(t reshape.TierRows) bool { return t.After < t.Before }) {
		return checkFailed
	}
	return nil
}
