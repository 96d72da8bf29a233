package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
)

const devLong = `Bring the whole journey up on this machine, in the foreground: DynamoDB Local, the
table, the functions that deploy, the mapping that hands the table's stream to
aggregate, and an HTTP front. Ctrl-C ends it, and everything it started.

With a command after "--", the stack runs for as long as the command does. The
command finds it in TIDEMARK_URL, TIDEMARK_ENDPOINT and TIDEMARK_TABLE, and its exit
status is that of tidemark.

The table is in memory: it is gone when the stack ends. To keep one, run DynamoDB
Local yourself and name it by --endpoint.`

const devExample = `  tidemark dev
  tidemark dev --port 8080
  tidemark dev -- sh -c 'tidemark replay --wait readings.ndjson && tidemark verify'`

// devDir is where dev keeps logs and how it is found.
const devDir = ".tidemark"

type devFlags struct {
	port, functions, dir string
	heap                 int
}

func devCommand(to *connection) *cobra.Command {
	var flags devFlags
	cmd := &cobra.Command{
		Use:     "dev [flags] [-- COMMAND…]",
		Short:   "Run the whole journey on this machine",
		Long:    devLong,
		Example: devExample,
		Args:    asUsage(afterDash),
		RunE: func(cmd *cobra.Command, args []string) error {
			return dev(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.port, "port", "0", "`port` of the HTTP front; 0 takes a free one")
	cmd.Flags().StringVar(&flags.functions, "functions", "", "`directory` of functions built for this machine (default build/local, found or built)")
	cmd.Flags().StringVar(&flags.dir, "dir", devDir, "`directory` of logs and of the on-failure file")
	cmd.Flags().IntVar(&flags.heap, "heap", 0, "most `megabytes` that DynamoDB Local may take (default 1024)")
	return cmd
}

// afterDash takes arguments only where they are a command to run.
func afterDash(cmd *cobra.Command, args []string) error {
	switch at := cmd.ArgsLenAtDash(); {
	case at < 0 && len(args) > 0, at > 0:
		return fmt.Errorf("%q: a command to run comes after \"--\": tidemark dev -- %s", args[0], args[0])
	case at == 0 && len(args) == 0:
		return errors.New(`no command after "--"`)
	}
	return nil
}

func dev(cmd *cobra.Command, to *connection, flags devFlags, command []string) error {
	ctx := cmd.Context()
	options, err := devOptions(to, flags)
	if err != nil {
		return err
	}
	stack, err := local.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	defer stack.Stop()
	if len(command) > 0 {
		return runBeside(ctx, cmd, stack, options, command)
	}
	remove, err := devFile{
		URL: stack.URL, Endpoint: stack.Endpoint, Table: stack.Table, Config: options.ConfigPath, PID: os.Getpid(),
	}.write(filepath.Join(flags.dir, filepath.Base(devFilePath)))
	if err != nil {
		return fmt.Errorf("say where dev runs: %w", err)
	}
	defer remove()
	welcome(cmd.OutOrStdout(), stack, flags)
	select {
	case <-ctx.Done():
		fmt.Fprintln(cmd.OutOrStdout(), "ended")
		return nil
	case <-stack.Context().Done():
		return fmt.Errorf("the stack ended: %w", stack.Err())
	}
}

// devOptions are the stack as flags, environment and configuration ask for it. It
// does not look for a running dev: it is to be one.
func devOptions(to *connection, flags devFlags) (local.Options, error) {
	to.fromEnvironment()
	settings, err := to.settings()
	if err != nil {
		return local.Options{}, err
	}
	if _, err := to.catalog(); err != nil {
		return local.Options{}, err
	}
	path, err := to.configPath()
	if err != nil {
		return local.Options{}, err
	}
	database := ddblocal.FromEnv()
	database.Endpoint, database.HeapMB = to.endpoint, flags.heap
	return local.Options{
		Config: settings, ConfigPath: path, Table: to.table, Port: flags.port,
		DynamoDB: database, BinaryDir: flags.functions, Dir: flags.dir,
	}, nil
}

// runBeside runs the command beside the stack and ends as it ended.
func runBeside(ctx context.Context, cmd *cobra.Command, stack *local.Stack, options local.Options, command []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(stack.Context(), cancel)()
	status, err := local.Command{
		Args: command,
		Env: append(os.Environ(),
			"TIDEMARK_URL="+stack.URL, "TIDEMARK_ENDPOINT="+stack.Endpoint,
			"TIDEMARK_TABLE="+stack.Table, "TIDEMARK_CONFIG="+options.ConfigPath),
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
	}.Run(ctx)
	switch {
	case err != nil:
		return usagef("run %s: %w", command[0], err)
	case stack.Err() != nil:
		return fmt.Errorf("the stack ended: %w", stack.Err())
	case status != 0:
		return &failure{status: status}
	}
	return nil
}

const welcomeText = `Tidemark is up. Ctrl-C ends it.

  HTTP      %s
  DynamoDB  %s, table %s
  logs      %s

Bring a reading in, and ask for it (rollups follow within %s):

  curl -s %[1]s/v1/readings -H 'Content-Type: application/json' \
    -d '{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","temperature":22.4}'
  curl -s %[1]s/v1/devices/sensor_01/readings/current
  curl -s %[1]s/v1/devices/sensor_01/readings/rollups/hour

Every route is told by %[1]s/openapi.json.
In another terminal, from this directory: tidemark replay --help

`

func welcome(w io.Writer, stack *local.Stack, flags devFlags) {
	fmt.Fprintf(w, welcomeText, stack.URL, stack.Endpoint, stack.Table,
		filepath.Join(flags.dir, "logs"), stack.Window())
}
