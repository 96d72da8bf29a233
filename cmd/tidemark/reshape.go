package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/internal/repair/reshape"
)

func reshapeCommand(to *connection) *cobra.Command {
	var write bool
	var rate int
	cmd := &cobra.Command{
		Use:  "reshape KIND",
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
	return printing.Reshape(cmd.OutOrStdout(), report, write)
}
