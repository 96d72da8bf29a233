package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/guide"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

const deployHelp = `Deploy a stage to AWS, step by step

Ask six questions, write the choices into tidemark.yaml, print what will be deployed and what it
costs, deploy it, set off a test alarm, and verify the installation with test events. An empty line
is the choice in brackets. Nothing is written before the choices make a valid configuration, and
nothing is deployed before you agree. Run it again to change a choice, or to go on where it stopped.

  stage      its name; the stack is tidemark-NAME
  place      the AWS account and the Region: credentials of another account are refused
  sources    what sends beside the HTTP API: things (AWS IoT), pages, senders, sqs, kinesis, or none
  retention  how long single events are kept, as 30d; rollups are kept longer
  readers    iam, or the issuer and the audience of tokens
  alarmMail  an address for alarms, or none

It runs in a checkout of Tidemark and needs Go, Node, make and the AWS command line. A file for
--choices is YAML with some of these words; --yes takes the defaults for the others and agrees.

Exit status: 0 deployed and verified; 1 the verification failed; 2 wrong usage or configuration;
3 failed, or stopped.

Examples:
  tidemark deploy
  tidemark deploy --choices prod.yaml --yes`

func deployCommand(to *connection) *cobra.Command {
	var choices string
	var yes bool
	cmd := &cobra.Command{
		Use:  "deploy",
		Long: deployHelp,
		RunE: func(cmd *cobra.Command, _ []string) error { return deploy(cmd, to, choices, yes) },
	}
	cmd.Flags().StringVar(&choices, "choices", "", "`file` of choices, which are not asked for")
	cmd.Flags().BoolVar(&yes, "yes", false, "ask nothing: take defaults, and approve")
	return cmd
}

func deploy(cmd *cobra.Command, to *connection, choices string, yes bool) error {
	known, err := readChoices(choices)
	if err != nil {
		return err
	}
	if err := checkCheckout(); err != nil {
		return err
	}
	g := guide.Guide{
		File: configfile.FileName, Known: known, Unattended: yes, In: cmd.InOrStdin(), Out: cmd.OutOrStdout(),
		Parse: func(text []byte) (*config.Config, error) {
			settings, err := configfile.Parse(configfile.FileName, text, domains.Kinds()...)
			if err != nil {
				err = usagef("%w", err)
			}
			return settings, err
		},
		Command: func(ctx context.Context, quiet bool, words ...string) (string, error) {
			return runProgram(ctx, cmd, quiet, words)
		},
		Price: func(settings *config.Config) error {
			forecast := cost.Forecast{Rate: "1/m", Batch: 1, Series: 1000}
			return forecast.Print(cmd.OutOrStdout(), settings, nil)
		},
		Verify: func(ctx context.Context, stack, region string) error {
			to.Region = region
			run := smokeCommand(to)
			run.SetOut(cmd.OutOrStdout())
			run.SetErr(cmd.ErrOrStderr())
			run.SetArgs([]string{"--stack", stack})
			return run.ExecuteContext(ctx)
		},
	}
	return g.Run(cmd.Context())
}

// readChoices reads a file of choices; without a name there are none.
func readChoices(name string) (guide.Choices, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usagef("--choices: %w", err)
	}
	var choices guide.Choices
	if err := yaml.Unmarshal(text, &choices); err != nil {
		return nil, usagef("--choices %s: want lines as \"stage: prod\": %w", name, err)
	}
	for key := range choices {
		if !slices.Contains(guide.Keys(), key) {
			return nil, usagef("--choices %s: unknown %q: want %s", name, key, strings.Join(guide.Keys(), ", "))
		}
	}
	return choices, nil
}

// checkCheckout refuses to begin where the deployment could not end.
func checkCheckout() error {
	for _, file := range []string{"Makefile", "infra/cdk.json", configfile.FileName} {
		if _, err := os.Stat(file); err != nil {
			return usagef("no %s here: run it in a checkout of Tidemark, which has the CDK app", file)
		}
	}
	var missing []string
	for _, program := range []string{"go", "make", "npm", "aws"} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	if len(missing) > 0 {
		return usagef("%s not found: make doctor says how to install it", strings.Join(missing, ", "))
	}
	return nil
}

// runProgram runs a program. It returns what the program prints if quiet; otherwise the user sees it.
func runProgram(ctx context.Context, cmd *cobra.Command, quiet bool, words []string) (string, error) {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	if !quiet {
		c.Stdin = cmd.InOrStdin()
		c.Stdout = cmd.OutOrStdout()
		c.Stderr = cmd.ErrOrStderr()
		return "", c.Run()
	}
	out, err := c.Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		said := terminal.PrintableLines(string(failed.Stderr))
		err = fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, said)
	}
	return string(out), err
}
