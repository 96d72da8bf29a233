package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/deployment"
	"github.com/tidemark-db/tidemark/internal/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
)

func configApplyCommand(to *connection) *cobra.Command {
	var stack string
	var dryRun bool
	var retired []string
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Apply the configuration to the table after a deployment",
		RunE:  func(cmd *cobra.Command, _ []string) error { return applyConfig(cmd, to, stack, dryRun, retired) },
	}
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack` whose table it is")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing; a stack that does not exist yet is no error")
	cmd.Flags().StringSliceVar(&retired, "retire", nil, "`kinds` that are no longer declared, and whose last item has expired")
	return cmd
}

func applyConfig(cmd *cobra.Command, to *connection, stack string, dryRun bool, retired []string) error {
	out := cmd.OutOrStdout()
	if err := to.UseStack(cmd.Context(), stack); dryRun && errors.Is(err, deployment.ErrNoStack) {
		return nil // there is nothing to compare with
	} else if err != nil {
		return err
	}
	c, err := to.changer(cmd.Context())
	if err != nil {
		return err
	}
	c.DryRun, c.Retired = dryRun, retired
	return printApplied(cmd.Context(), out, c)
}

// changer returns what changes the configuration of the table.
func (c *connection) changer(ctx context.Context) (*changeover.Changer, error) {
	table, err := c.OpenTable(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := c.Settings()
	if err != nil {
		return nil, err
	}
	return &changeover.Changer{Table: table, Declare: settings.Catalog, Now: wallClock, MaxAhead: settings.Limits.MaxAhead}, nil
}

// printApplied applies the configuration of some kinds, or of all, and prints what changed.
func printApplied(ctx context.Context, out io.Writer, c *changeover.Changer, kinds ...string) error {
	all, err := c.Apply(ctx, kinds...)
	for _, one := range all {
		fmt.Fprintln(out, one)
	}
	if errors.Is(err, tableconfig.ErrRefused) {
		fmt.Fprintln(out, err)
		return checkFailed
	}
	return err
}
