package main

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

const configCheckLong = `Say whether the configuration is valid and, with --against, what it changes:

  safe             takes effect when it is deployed; what is stored stays right
  needs a rebuild  rows that stand are as before until "tidemark rebuild" has been run
  refused          would lose what is stored, or make rows say what is not so

--against names the configuration before: a file, "-" for standard input, or the word
deployed for the one that the stack of --stack runs by, out of its functions' code.

Exit status: 0 valid, and nothing is refused; 1 something is; 2 not valid, or asked
wrongly; 3 could not be done.`

const configCheckExample = `  tidemark config check
  git show HEAD:tidemark.yaml | tidemark config check --against -
  tidemark config check --against deployed --stack tidemark-prod`

// deployedWord is the configuration that runs, where --against names one.
const deployedWord = "deployed"

func configCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check the configuration, and what a change of it means",
		Args:  asUsage(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(configCheckCommand(to))
	return cmd
}

func configCheckCommand(to *connection) *cobra.Command {
	var against, stack string
	cmd := &cobra.Command{
		Use:     "check",
		Short:   "Say whether the configuration is valid, and what it changes",
		Long:    configCheckLong,
		Example: configCheckExample,
		Args:    asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			to.fromEnvironment()
			after, err := to.settings()
			if err != nil {
				return err
			}
			if against == "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %d kinds, %d stages\n", cmp.Or(to.file, config.FileName), len(after.Kinds), len(after.Stages))
				return nil
			}
			before, err := configBefore(cmd, to, against, stack)
			if err != nil {
				return err
			}
			return printChanges(cmd.OutOrStdout(), before, after)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "`configuration` before: a file, - or deployed")
	cmd.Flags().StringVar(&stack, "stack", "", "`stack` whose configuration --against deployed means, as tidemark-prod")
	return cmd
}

func configBefore(cmd *cobra.Command, to *connection, against, stack string) (*config.Config, error) {
	var data []byte
	var err error
	switch {
	case against == deployedWord && stack == "":
		return nil, usagef("--against deployed: which deployment? name its --stack, as tidemark-prod")
	case against == deployedWord:
		against = "what " + stack + " runs by"
		if data, err = deployedFile(cmd.Context(), to, stack); err != nil {
			return nil, err
		}
	case against == stdinName:
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

// printChanges tells the refused first: they are what must be read.
func printChanges(w io.Writer, before, after *config.Config) error {
	changes, err := config.Compare(before, after)
	if err != nil {
		return usagef("%w", err)
	}
	count := map[config.Class]int{}
	for _, class := range []config.Class{config.Refused, config.NeedsRebuild, config.Safe} {
		for _, c := range changes {
			if c.Class == class {
				count[class]++
				fmt.Fprintln(w, c)
			}
		}
	}
	fmt.Fprintf(w, "%d changes: %d safe, %d need a rebuild, %d refused\n", len(changes), count[config.Safe], count[config.NeedsRebuild], count[config.Refused])
	if count[config.Refused] > 0 {
		return checkFailed
	}
	return nil
}
