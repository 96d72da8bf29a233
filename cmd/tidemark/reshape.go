package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair/reshape"
)

const reshapeHelp = `Recompute rollups that lack a field which was added to the kind

Recompute the rollups of a kind that lack a measure, percentiles, a dimension or a distinct
count, because it was added when they existed already. Run it an hour or later after
"tidemark config apply".

Without --switch, it computes the rows in memory, prints what would change, and writes
nothing. With --switch, it writes the rows and records from when each field is whole. Rows
whose events have expired stay as they are and remain partial. It is safe at any time,
repeatedly, and during live traffic. If it stops, run it again: it continues with the rows
that are still partial.

It reads every row of the kind twice; a row costs about 4 read units and 3 write units.

Exit status: 0 done; 1 too early: run it again at the time that is printed; 2 wrong usage;
3 failed: run it again.

Examples:
  tidemark reshape READING
  tidemark reshape READING --switch --rate 200`

func reshapeCommand(to *connection) *cobra.Command {
	var write bool
	var rate int
	cmd := &cobra.Command{
		Use:  "reshape KIND",
		Long: reshapeHelp,
		RunE: func(cmd *cobra.Command, args []string) error { return reshapeKind(cmd, to, args[0], write, rate) },
	}
	cmd.Flags().BoolVar(&write, "switch", false, "write the rows; without it, only report")
	cmd.Flags().IntVar(&rate, "rate", 0, "most `rows` a second; 0 sets no limit")
	return cmd
}

func reshapeKind(cmd *cobra.Command, to *connection, name string, write bool, rate int) error {
	if rate < 0 {
		return usagef("--rate %d: want rows a second, above 0", rate)
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	kind, err := names.Kind(kinds, name)
	if err != nil {
		return err
	}
	show, done := showSteps(cmd)
	r := &reshape.Reshaper{Table: table, Catalog: kinds, Now: wallClock, Rate: rate, Progress: show}
	run := r.Compare
	if write {
		run = r.Switch
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
	return printing.Reshape(cmd.OutOrStdout(), report, write)
}
