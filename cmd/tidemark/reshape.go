package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/repair/reshape"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const reshapeLong = `Recompute the rollups of a kind that lack a measure, percentiles, a dimension or a distinct
count, because it was added when they existed already. Run it an hour or later after
"tidemark config apply".

Without --switch, it computes the rows in memory, prints what would change, and writes
nothing. With --switch, it writes the rows and records from when each field is whole. Rows
whose events have expired stay as they are and remain partial. It is safe at any time,
repeatedly, and during live traffic. If it stops, run it again: it continues with the rows
that are still partial.

It reads every row of the kind twice; a row costs about 4 read units and 3 write units.

Exit status: 0 done; 1 too early: run it again at the time that is printed; 2 wrong usage;
3 failed: run it again.`

func reshapeCommand(to *connection) *cobra.Command {
	var write bool
	var rate int
	cmd := &cobra.Command{
		Use:     "reshape KIND",
		Short:   "Recompute rollups that lack a field which was added to the kind",
		Long:    reshapeLong,
		Example: "  tidemark reshape READING\n  tidemark reshape READING --switch --rate 200",
		Args:    asUsage(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return reshapeKind(cmd, to, args[0], write, rate) },
	}
	cmd.Flags().BoolVar(&write, "switch", false, "write the rows; without it, only report")
	cmd.Flags().IntVar(&rate, "rate", 0, "most `rows` a second; 0 sets no limit")
	return cmd
}

func reshapeKind(cmd *cobra.Command, to *connection, name string, write bool, rate int) error {
	if rate < 0 {
		return usagef("--rate %d: want rows a second, above 0", rate)
	}
	table, kinds, err := to.openTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	kind, err := arguments.Kind(kinds, name)
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
	return printReshape(cmd.OutOrStdout(), report, write)
}

func printReshape(w io.Writer, r *reshape.Report, written bool) error {
	table := terminal.NewTable(w, 1, 2, 3)
	table.Add("TIER", "ROWS", "PARTIAL BEFORE", "PARTIAL AFTER")
	for _, t := range r.Tiers {
		table.Add(t.Tier, terminal.Grouped(t.Rows), terminal.Grouped(t.Before), terminal.Grouped(t.After))
	}
	if err := table.Print(); err != nil {
		return err
	}
	for _, f := range r.Fields {
		fmt.Fprintf(w, "%s %s: %s\n", f.Role, f.Name, wholeFrom(f))
	}
	if !written {
		fmt.Fprintln(w, "nothing was written: pass --switch to write the rows")
	}
	return nil
}

func wholeFrom(f rollup.AddedField) string {
	if f.WholeFrom == model.MinTime {
		return "whole in every bucket"
	}
	return "whole in buckets that begin at " + f.WholeFrom.String() + " or later"
}
