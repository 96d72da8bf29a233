package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"runtime"
	"strings"

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
		subjectCommand, devicesCommand, eventCommand, ruleCommand, alertsCommand, purgeCommand, siteKeyCommand, siteCommand, keyCommand, shareCommand,
	}},
	{"Check and repair:", []func(*connection) *cobra.Command{
		verifyCommand, rebuildCommand, reshapeCommand, quarantineCommand, redriveCommand, undeliveredCommand, waitCommand, gapCommand, adoptCommand,
	}},
	{"Deployments:", []func(*connection) *cobra.Command{configCommand, costCommand, docsCommand, grafanaCommand, smokeCommand}},
	{"", []func(*connection) *cobra.Command{manCommand, versionCommand}},
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

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "tidemark",
		SilenceUsage:  true,
		SilenceErrors: true,
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
	setHelp(root)
	return root
}

// group returns a command that only has subcommands.
func group(name string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name}
	cmd.AddCommand(commands...)
	return cmd
}

//go:embed help
var helpTexts embed.FS

// setHelp sets the help of a command and its subcommands: that of "tidemark rollups" is in
// help/tidemark-rollups.txt. Its first line is the description in lists of commands. Examples
// follow the line "Examples:".
func setHelp(cmd *cobra.Command) {
	file, _ := helpTexts.ReadFile("help/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".txt") // a test finds what is missing
	short, text, _ := strings.Cut(string(file), "\n")
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
		check = argumentsOf(cmd.Use)
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

// argumentsOf returns the check for the arguments of a usage line: those in brackets are optional, and
// one with … can be repeated. Flags and other forms of the command are not arguments.
func argumentsOf(use string) cobra.PositionalArgs {
	least, most, repeated := 0, 0, false
	for _, word := range strings.Fields(use)[1:] {
		if word == "|" || strings.HasPrefix(word, "--") {
			break
		}
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		repeated = repeated || strings.Contains(word, "…") || strings.Contains(word, "...")
	}
	switch {
	case most == 0:
		return cobra.NoArgs
	case repeated:
		return cobra.MinimumNArgs(least)
	case least == most:
		return cobra.ExactArgs(most)
	case least == 0:
		return cobra.MaximumNArgs(most)
	}
	return cobra.RangeArgs(least, most)
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
		Use: "version",
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintf(cmd.OutOrStdout(), "tidemark %s %s %s/%s\n", release.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
