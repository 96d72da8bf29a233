package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
)

const configImmediateHelp = `Write the rollups of a kind with each batch of changes

Write the rollups of a kind with each batch of changes again. Declare "mode: immediate" for
the tiers in tidemark.yaml first, and deploy. The first run of this command makes functions
write rows at once. A run after an hour or later writes the rows of all buckets that are
still open, and lets readers use rows. It is safe at any time, repeatedly, and during live
traffic.

Exit status: 0 done, or nothing to do; 1 refused, or to be run again at the time that is
printed; 2 wrong usage; 3 failed: run it again.

Examples:
  tidemark config immediate READING --stack tidemark-prod`

const configDeferHelp = `Write the rollups of a kind when their buckets close

Defer the rollups of a kind: write a row when its bucket closes, and let readers fold open
buckets. Declare "mode: deferred" for the tiers in tidemark.yaml first, and deploy. Readers
fold open buckets a few minutes after this command; functions stop writing their rows after
an hour. It is safe at any time, repeatedly, and during live traffic.

Exit status: 0 done, or nothing to do; 1 refused; 2 wrong usage; 3 failed: run it again.

Examples:
  tidemark config defer READING --stack tidemark-prod`

func modeCommand(to *connection, deferred bool) *cobra.Command {
	cmd := &cobra.Command{Use: "immediate KIND [TIER]", Long: configImmediateHelp}
	if deferred {
		cmd = &cobra.Command{Use: "defer KIND [TIER]", Long: configDeferHelp}
	}
	stack := cmd.Flags().String("stack", "", "CloudFormation `stack` whose table it is")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return changeMode(cmd, to, *stack, args, deferred)
	}
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
	kind, err := names.Kind(kinds, args[0])
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
