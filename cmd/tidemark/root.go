package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/release"
	"github.com/tidemark-db/tidemark/internal/target"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// groups of commands in the order in which help lists them; those of the group without a
// title come last, under a title of cobra's.
var groups = []struct {
	title    string
	commands []func(*connection) *cobra.Command
}{
	{"Run and load:", []func(*connection) *cobra.Command{devCommand, replayCommand, importCommand}},
	{"Read:", []func(*connection) *cobra.Command{
		uiCommand, lsCommand, latestCommand, historyCommand, tailCommand, rollupsCommand, totalCommand, topCommand, exportCommand, dumpCommand,
	}},
	{"Manage:", []func(*connection) *cobra.Command{
		subjectCommand, devicesCommand, eventCommand, ruleCommand, alertsCommand, purgeCommand, siteKeyCommand, siteCommand, keyCommand,
	}},
	{"Check and repair:", []func(*connection) *cobra.Command{
		verifyCommand, rebuildCommand, reshapeCommand, quarantineCommand, redriveCommand, waitCommand, gapCommand, adoptCommand,
	}},
	{"Deployments:", []func(*connection) *cobra.Command{configCommand, costCommand, smokeCommand}},
	{"", []func(*connection) *cobra.Command{versionCommand}},
}

const about = `Tidemark stores time-series in one DynamoDB table and keeps hourly, daily and monthly
rollups that always equal the events in the table.

To try it on a laptop:

  tidemark dev                        run everything on this machine, until Ctrl-C
  tidemark replay readings.ndjson     in another terminal: load events from a file
  tidemark verify                     recompute every rollup from its events and compare

Commands find a running "tidemark dev" by themselves. To work on another table, use the
flags below or the environment variables TIDEMARK_ENDPOINT, TIDEMARK_TABLE,
TIDEMARK_CONFIG, TIDEMARK_URL and AWS_REGION; flags have precedence.

Exit status: 0 done; 1 the check found a problem, or there is no such thing; 2 wrong
usage or configuration; 3 failed (something was not reachable or not readable, or the
command was stopped).`

// run executes one command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := arguments.CheckText(args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if message := describe(err); message != "" {
		fmt.Fprintln(stderr, "tidemark:", terminal.PrintableLines(message))
	}
	return exitStatus(err)
}

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "tidemark",
		Short:         "Store time-series in one DynamoDB table, with rollups that equal their events",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          showHelp,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w\nSee: %s --help", err, cmd.CommandPath())
	})
	var to connection
	to.register(root.PersistentFlags())
	for _, g := range groups {
		if g.title != "" {
			root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		}
		for _, command := range g.commands {
			cmd := command(&to)
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	checkArgs(root)
	return root
}

// showHelp is what a command does that only has subcommands.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// checkArgs makes the errors of the argument checks of a command and its subcommands usage errors.
// A command without a check has no arguments.
func checkArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w\nSee: %s --help", err, cmd.CommandPath())
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
}

// connection is the table and the HTTP API that the flags of every command choose.
type connection struct{ target.Target }

func (c *connection) register(flags *pflag.FlagSet) {
	flags.StringVar(&c.Endpoint, "endpoint", "", "`URL` of DynamoDB (default AWS; env TIDEMARK_ENDPOINT)")
	flags.StringVar(&c.Table, "table", "", "`name` of the table (default tidemark; env TIDEMARK_TABLE)")
	flags.StringVar(&c.File, "config", "", "`path` of tidemark.yaml (default ./tidemark.yaml if it exists; env TIDEMARK_CONFIG)")
	flags.StringVar(&c.Region, "region", "", "AWS `region` (env AWS_REGION)")
	flags.StringVar(&c.URL, "url", "", "`URL` of the HTTP API (env TIDEMARK_URL)")
}

func versionCommand(*connection) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this program",
		Long:    "Print the version of this program, the version of Go that built it, and the platform.",
		Example: "  tidemark version",
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "tidemark %s %s %s/%s\n", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
