package main

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/devfile"
	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
)

// devDir is where dev writes its logs and the file by which it is found.
const devDir = ".tidemark"

type devFlags struct {
	port, functions, dir, data, mqtt string
	fresh                            bool
	heap                             int
}

func devCommand(to *connection) *cobra.Command {
	var flags devFlags
	cmd := &cobra.Command{
		Use:  "dev [flags] [-- COMMAND…]",
		Args: afterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			return dev(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.port, "port", "0", "`port` of the HTTP API; 0 is any free port")
	cmd.Flags().StringVar(&flags.mqtt, "mqtt", "", "also run an MQTT broker at this `address`")
	cmd.Flags().Lookup("mqtt").NoOptDefVal = "127.0.0.1:1883"
	cmd.Flags().StringVar(&flags.functions, "functions", "", "`directory` of the functions, built for this machine (default build/local; built if it is missing)")
	cmd.Flags().StringVar(&flags.dir, "dir", devDir, "`directory` for logs and the on-failure file")
	cmd.Flags().StringVar(&flags.data, "data", "", "`directory` that keeps the table (default: one for this project under the user's cache)")
	cmd.Flags().BoolVar(&flags.fresh, "fresh", false, "delete the kept table first")
	cmd.Flags().IntVar(&flags.heap, "heap", 0, "the most `megabytes` of heap for DynamoDB Local (default 1024)")
	return cmd
}

// afterDash accepts arguments only after "--", where they are a command.
func afterDash(cmd *cobra.Command, args []string) error {
	switch at := cmd.ArgsLenAtDash(); {
	case at < 0 && len(args) > 0, at > 0:
		return fmt.Errorf("%q: a command must follow \"--\": tidemark dev -- %s", args[0], args[0])
	case at == 0 && len(args) == 0:
		return errors.New(`no command after "--"`)
	}
	return nil
}

func dev(cmd *cobra.Command, to *connection, flags devFlags, command []string) error {
	ctx := cmd.Context()
	if runtime.GOOS == "windows" {
		return usagef("tidemark dev runs on Linux and macOS: on Windows, run it in the Windows Subsystem for Linux")
	}
	options, err := devOptions(to, flags)
	if err != nil {
		return err
	}
	release := func() {}
	if options.DynamoDB.Endpoint == "" && (len(command) == 0 || flags.data != "") {
		if options.DynamoDB.DataDir, release, err = local.OpenData(flags.data, flags.fresh); err != nil {
			return err
		}
	}
	defer release()
	began := time.Now()
	options.Progress = func(step string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%5.1f s  %s\n", time.Since(began).Seconds(), step)
	}
	stack, err := local.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	defer stack.Stop()
	if len(command) > 0 {
		return runCommand(ctx, cmd, stack, options, command)
	}
	remove, err := devfile.Dev{
		URL: stack.URL, Endpoint: stack.Endpoint, Table: stack.Table, Config: options.ConfigPath, PID: os.Getpid(),
		Started: time.Now(), ID: options.ID,
	}.Write(filepath.Join(flags.dir, filepath.Base(devfile.Path)))
	if err != nil {
		return fmt.Errorf("write the file by which other commands find this dev: %w", err)
	}
	defer remove()
	printWelcome(cmd.OutOrStdout(), stack, flags, options.DynamoDB.DataDir)
	select {
	case <-ctx.Done():
		fmt.Fprintln(cmd.OutOrStdout(), "stopped")
		return nil
	case <-stack.Context().Done():
		return fmt.Errorf("the stack stopped: %w", stack.Err())
	}
}

// devOptions returns the stack that flags, environment and configuration describe. It does
// not look for a running dev, because this is a new one.
func devOptions(to *connection, flags devFlags) (local.Options, error) {
	to.FromEnvironment()
	settings, err := to.Settings()
	if err != nil {
		return local.Options{}, err
	}
	if _, err := to.Catalog(); err != nil {
		return local.Options{}, err
	}
	path, err := to.ConfigPath()
	if err != nil {
		return local.Options{}, err
	}
	database := ddblocal.FromEnv()
	database.Endpoint, database.HeapMB = to.Endpoint, flags.heap
	return local.Options{
		Config: settings, ConfigPath: path, Table: to.Table, Port: flags.port, MQTT: flags.mqtt,
		DynamoDB: database, BinaryDir: flags.functions, Dir: flags.dir, ID: rand.Text(),
	}, nil
}

// runCommand runs the command while the stack runs, and returns its exit status.
func runCommand(ctx context.Context, cmd *cobra.Command, stack *local.Stack, options local.Options, command []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(stack.Context(), cancel)()
	status, err := local.Command{
		Args: command,
		Env: append(os.Environ(),
			"TIDEMARK_URL="+stack.URL, "TIDEMARK_ENDPOINT="+stack.Endpoint,
			"TIDEMARK_TABLE="+stack.Table, "TIDEMARK_CONFIG="+options.ConfigPath, "TIDEMARK_MQTT="+stack.MQTT),
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
	}.Run(ctx)
	switch {
	case err != nil:
		return usagef("run %s: %w", command[0], err)
	case stack.Err() != nil:
		return fmt.Errorf("the stack stopped: %w", stack.Err())
	case status != 0:
		return &failure{status: status}
	}
	return nil
}

//go:embed welcome.txt
var welcomeText string

const mqttText = "MQTT broker at %s: publish readings to the topic tidemark/devices/sensor_01/readings.\n\n"

func printWelcome(w io.Writer, stack *local.Stack, flags devFlags, data string) {
	fmt.Fprintf(w, welcomeText, stack.URL, stack.Endpoint, stack.Table, cmp.Or(data, "the database that you run"),
		filepath.Join(flags.dir, "logs"), stack.Window())
	if stack.MQTT != "" {
		fmt.Fprintf(w, mqttText, stack.MQTT)
	}
}
