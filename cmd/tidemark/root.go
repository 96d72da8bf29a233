package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/base/release"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/target"
)

// groups of commands in the order in which help lists them; commands of the group without a title
// come last, under a title of cobra's.
var groups = []struct {
	title    string
	commands []func(*connection) *cobra.Command
}{
	{"Run and load:", []func(*connection) *cobra.Command{devCommand, clockCommand, sendCommand, importCommand}},
	{"Read:", []func(*connection) *cobra.Command{
		uiCommand, lsCommand, latestCommand, historyCommand, rollupsCommand, topCommand, exportCommand, dumpCommand,
	}},
	{"Manage:", []func(*connection) *cobra.Command{
		subjectCommand, eventCommand, ruleCommand, alertsCommand, purgeCommand, siteCommand, accessCommand,
	}},
	{"Check and repair:", []func(*connection) *cobra.Command{
		statusCommand, verifyCommand, rebuildCommand, failedCommand,
		restoreCommand,
	}},
	{"Deployments:", []func(*connection) *cobra.Command{configCommand, costCommand, deployCommand, smokeCommand,
		generateCommand}},
	{"", []func(*connection) *cobra.Command{versionCommand}},
}

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

const tidemarkHelp = `Store time-series in one DynamoDB table, with rollups that equal their events

Tidemark stores time-series in one DynamoDB table and keeps hourly, daily and monthly
rollups that always equal the events in the table.

To try it on a laptop:

  tidemark dev                        run everything on this machine, until Ctrl-C
  tidemark import readings.ndjson     in another terminal: load events from a file
  tidemark verify                     recompute every rollup from its events and compare

Commands find a running "tidemark dev" by themselves. To work on another table, use the
flags below or the environment variables TIDEMARK_ENDPOINT, TIDEMARK_TABLE,
TIDEMARK_CONFIG, TIDEMARK_URL and AWS_REGION; flags have precedence.

Exit status: 0 done; 1 the check found a problem, or there is no such thing; 2 wrong
usage or configuration; 3 failed (something was not reachable or not readable, or the
command was stopped).`

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "tidemark",
		Long:          tidemarkHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       versionText(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.DisableDefaultCmd = true // it is under generate
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w\nSee: %s --help", flagError(cmd, err), cmd.CommandPath())
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
	setHelp(root)
	return root
}

// group returns a command that only has subcommands.
func group(name, help string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Long: help}
	cmd.AddCommand(commands...)
	return cmd
}

const generateHelp = `Write documents, dashboards, manual pages and completions

Write what follows from the configuration or from the commands: the design of a deployment,
a dashboard for Grafana, manual pages, and completions of shells.`

// generateCommand writes what follows from the configuration or from the commands.
func generateCommand(to *connection) *cobra.Command {
	return group("generate", generateHelp, docsCommand(to), grafanaCommand(to), manCommand(to),
		completionCommand())
}

// setHelp divides the help of a command and its subcommands, which is beside each command as Long. Its
// first line is the description in lists of commands. Examples follow the line "Examples:".
func setHelp(cmd *cobra.Command) {
	short, text, _ := strings.Cut(cmd.Long, "\n")
	long, examples, _ := strings.Cut(text, "\nExamples:\n")
	cmd.Short = short
	cmd.Long, cmd.Example = strings.TrimSpace(long), strings.TrimRight(examples, "\n")
	for _, sub := range cmd.Commands() {
		setHelp(sub)
	}
}

// checkArgs makes the errors of the argument checks of a command and its subcommands usage errors.
// A command without a check of its own has the arguments that its usage line shows. A command that
// only has subcommands shows its help.
func checkArgs(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	check := cmd.Args
	if check == nil {
		check = parseUsage(cmd.Use).check
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
	flags.StringVar(&c.File, "config", "",
		"`path` of tidemark.yaml (default ./tidemark.yaml if it exists; env TIDEMARK_CONFIG)")
	flags.StringVar(&c.Region, "region", "", "AWS `region` (env AWS_REGION)")
	flags.StringVar(&c.URL, "url", "", "`URL` of the HTTP API (env TIDEMARK_URL)")
}

const versionHelp = `Print the version of this program

Print the version of this program, the version of Go that built it, and the platform.

Examples:
  tidemark version`

func versionCommand(*connection) *cobra.Command {
	return &cobra.Command{
		Use:    "version",
		Long:   versionHelp,
		Hidden: true, // the flag is the documented form
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(cmd.OutOrStdout(), versionText())
		},
	}
}

// versionText is the line that "tidemark version" and --version print.
func versionText() string {
	return fmt.Sprintf("tidemark %s %s %s/%s", release.Version(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
