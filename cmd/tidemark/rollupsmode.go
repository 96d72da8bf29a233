package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/repair/changeover"
)

func modeCommand(to *connection, deferred bool) *cobra.Command {
	cmd := &cobra.Command{Use: "immediate KIND [TIER]", Short: "Write the rollups of a kind with each batch of changes"}
	if deferred {
		cmd = &cobra.Command{Use: "defer KIND [TIER]", Short: "Write the rollups of a kind when their buckets close"}
	}
	stack := cmd.Flags().String("stack", "", "CloudFormation `stack` whose table it is")
	cmd.Args = cobra.RangeArgs(1, 2)
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
