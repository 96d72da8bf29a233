package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/cost"
	"github.com/tidemark-db/tidemark/internal/deployment"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// The values of --against that are not files.
const (
	againstDeployed = "deployed"
	againstStdin    = "-"
)

func configCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the configuration, and apply it to the table",
		RunE:  showHelp,
	}
	cmd.AddCommand(configCheckCommand(to), configApplyCommand(to))
	return cmd
}

func configCheckCommand(to *connection) *cobra.Command {
	var against, stack, rate string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration before a deployment",
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
				fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %d kinds, %d stages\n", cmp.Or(to.File, config.FileName), len(after.Kinds), len(after.Stages))
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
	cmd.Flags().StringVar(&against, "against", "", "the `configuration` before the change: a file, - or deployed")
	cmd.Flags().StringVar(&rate, "rate", "", "`rate` of the events of a series, such as 1/h: say which tiers should be immediate")
	cmd.Flags().StringVar(&stack, "stack", "", "CloudFormation `stack` for --against deployed, for example tidemark-prod")
	return cmd
}

func configBefore(cmd *cobra.Command, to *connection, against, stack string) (*config.Config, error) {
	var data []byte
	var err error
	switch {
	case against == againstDeployed && stack == "":
		return nil, usagef("--against deployed: name the deployment with --stack, for example --stack tidemark-prod")
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
	before, err := config.Parse(against, data, domains.Kinds()...)
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
