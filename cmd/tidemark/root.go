package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// commands are the children of the root in the order help lists them: one line a
// command.
var commands = []func(*connection) *cobra.Command{
	devCommand,
	replayCommand,
	verifyCommand,
	rebuildCommand,
	redriveCommand,
	gapCommand,
	quarantineCommand,
	subjectCommand,
	devicesCommand,
	alertsCommand,
	ruleCommand,
	purgeCommand,
	adoptCommand,
	dumpCommand,
	currentCommand,
	historyCommand,
	rollupsCommand,
	topCommand,
	tailCommand,
	exportCommand,
	siteKeyCommand,
	smokeCommand,
	configCommand,
	versionCommand,
}

const about = `Tidemark keeps time-series in one DynamoDB table: events come in by
compare-and-swap, and hourly, daily and monthly rollups say exactly what they say.

On a laptop, start with:

  tidemark dev                        the whole journey, in the foreground
  tidemark replay readings.ndjson     in another terminal: bring events in
  tidemark verify                     recount every bucket from its events

A command finds a running "tidemark dev" by itself. Flags come before the
environment (TIDEMARK_ENDPOINT, TIDEMARK_TABLE, TIDEMARK_CONFIG, AWS_REGION,
TIDEMARK_URL), the environment before the running dev.

Exit status: 0 done; 1 the check says no; 2 asked wrongly; 3 could not be done
(something was not reachable, not readable, or was stopped midway).`

// run executes one command line and answers its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if message := describe(err); message != "" {
		fmt.Fprintln(stderr, "tidemark:", message)
	}
	return exitStatus(err)
}

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:               "tidemark",
		Short:             "Time-series in one DynamoDB table, with rollups that say exactly what their events say",
		Long:              about,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args:              asUsage(cobra.NoArgs),
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v\nSee: %s --help", err, cmd.CommandPath())
	})
	var to connection
	to.register(root.PersistentFlags())
	for _, command := range commands {
		root.AddCommand(command(&to))
	}
	return root
}

// asUsage makes what a check of arguments says a mistake of usage.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%v\nSee: %s --help", err, cmd.CommandPath())
		}
		return nil
	}
}
