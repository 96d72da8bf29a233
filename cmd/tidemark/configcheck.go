package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// The values of --against that are not files.
const (
	againstDeployed = "deployed"
	againstStdin    = "-"
)

const configHelp = `Check the configuration, and apply it to the table

Work with the configuration file, tidemark.yaml.`

func configCommand(to *connection) *cobra.Command {
	return group("config", configHelp, configCheckCommand(to), configApplyCommand(to), limitsCommand(to),
		modeCommand(to, true), modeCommand(to, false))
}

const configCheckHelp = `Check the configuration before a deployment

Check whether the configuration is valid and, with --against, what a change of it means.
Run it before each deployment. Each change is one of

  safe             takes effect when it is deployed; stored data stays correct
  needs a rebuild  stored rows keep their old contents until you run "tidemark rebuild"
  refused          would lose stored data, or make stored rows wrong

--against is the configuration before the change: a file, "-" for standard input, or
"deployed" for the one that the functions of --stack run with.

Exit status: 0 valid, and no change is refused; 1 a change is refused; 2 not valid, or
wrong usage; 3 failed.

Examples:
  tidemark config check
  git show HEAD:tidemark.yaml | tidemark config check --against -
  tidemark config check --against deployed --stack tidemark-prod`

// printUnheard names the stages whose budget has no receiver in the configuration.
func printUnheard(w io.Writer, c *config.Config) {
	for _, s := range c.Stages {
		if s.Ceiling.Budget > 0 && !s.HasReceiver() {
			fmt.Fprintf(w, "stage %s: ceiling.budget has no receiver here: add alarmMail or alarmTopic, "+
				"unless your app gives Props.AlarmTopic\n", s.Name)
		}
	}
}

func configCheckCommand(to *connection) *cobra.Command {
	var against, stack, rate string
	cmd := &cobra.Command{
		Use:  "check",
		Long: configCheckHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to.FromEnvironment()
			after, err := to.Settings()
			if err != nil {
				return err
			}
			if rate != "" {
				if err := cost.PrintRates(cmd.OutOrStdout(), after, rate); err != nil {
					return err
				}
			}
			if against == "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is valid (kinds: %d, stages: %d)\n",
					cmp.Or(to.File, configfile.FileName), len(after.Kinds), len(after.Stages))
				printUnheard(cmd.OutOrStdout(), after)
				return nil
			}
			before, err := configBefore(cmd, to, against, stack)
			if err != nil {
				return err
			}
			changes, err := config.Compare(before, after)
			if err != nil {
				return usagef("%w", err)
			}
			if printing.Changes(cmd.OutOrStdout(), changes) > 0 {
				return checkFailed
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "",
		"the `configuration` before the change: a file, - or deployed")
	cmd.Flags().StringVar(&rate, "rate", "",
		"`rate` of the events of a series, such as 1/h: say which tiers should be immediate")
	cmd.Flags().StringVar(&stack, "stack", "",
		"CloudFormation `stack` for --against deployed, for example tidemark-prod")
	return cmd
}

func configBefore(cmd *cobra.Command, to *connection, against, stack string) (*config.Config, error) {
	var data []byte
	var err error
	switch {
	case against == againstDeployed && stack == "":
		return nil, usagef("--against deployed: name the deployment with --stack, " +
			"for example --stack tidemark-prod")
	case against == againstDeployed:
		against = "the configuration of " + stack
		if data, err = deployedFile(cmd, to, stack); err != nil {
			return nil, err
		}
	case against == againstStdin:
		data, err = io.ReadAll(cmd.InOrStdin())
	default:
		data, err = os.ReadFile(against)
	}
	if err != nil {
		return nil, usagef("--against: %w", err)
	}
	before, err := configfile.Parse(against, data, domains.Kinds()...)
	if err != nil {
		return nil, usagef("--against: %w", err)
	}
	return before, nil
}

func deployedFile(cmd *cobra.Command, to *connection, stack string) ([]byte, error) {
	cfg, err := to.Cloud(cmd.Context())
	if err != nil {
		return nil, err
	}
	return deployment.ConfigFile(cmd.Context(), cfg, stack)
}

const configApplyHelp = `Apply the configuration to the table after a deployment

Apply the tiers, retentions and fields of tidemark.yaml to the table. Run it after each
deployment that changes the configuration ("make deploy" and "tidemark dev" do).

The functions run by the tiers and retentions of the table: a change has no effect before.
If a change would make stored rows wrong, nothing is written, and no function starts.

Exit status: 0 applied, or nothing to do; 1 a change is refused; 2 wrong usage; 3 failed.

Examples:
  tidemark config apply --stack tidemark-prod`

func configApplyCommand(to *connection) *cobra.Command {
	var stack string
	var dryRun bool
	var retired []string
	cmd := &cobra.Command{
		Use:  "apply",
		Long: configApplyHelp,
		RunE: func(cmd *cobra.Command, _ []string) error { return applyConfig(cmd, to, stack, dryRun, retired) },
	}
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack` whose table it is")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "write nothing; a stack that does not exist yet is no error")
	cmd.Flags().StringSliceVar(&retired, "retire", nil,
		"`kinds` that are no longer declared, and whose last item has expired")
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
	if err := printApplied(cmd.Context(), out, c); err != nil {
		return err
	}
	queue, err := c.ApplyQueue(cmd.Context())
	if err == nil {
		fmt.Fprintln(out, queue)
	}
	return err
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
	return &changeover.Changer{
		Table: table, Declare: settings.Catalog, Now: wallClock,
		MaxAhead: settings.Limits.MaxAhead, QueueShards: settings.Queue.Shards,
	}, nil
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
