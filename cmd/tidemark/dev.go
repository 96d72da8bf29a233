package main

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
	"github.com/tidemark-db/tidemark/internal/local/engine/protocol"
	"github.com/tidemark-db/tidemark/internal/local/stack"
)

// devDir is where dev writes its logs and the file by which it is found.
const devDir = ".tidemark"

type devFlags struct {
	port, functions, dir, data, mqtt, engine, clock string
	fresh                                           bool
	faults                                          []string
	heap                                            int
}

var devHelp = `Run table, functions and HTTP API on this machine

Run everything on this machine, in the foreground: the table, the
functions that are deployed to AWS, the mapping that passes the table stream to them, and
an HTTP API. Use it to try Tidemark, and to develop against it. Ctrl-C ends everything.

With a command after "--", it runs until the command ends, with the command's exit
status. The command finds the stack through the environment variables TIDEMARK_URL,
TIDEMARK_ENDPOINT, TIDEMARK_TABLE, TIDEMARK_CONFIG and TIDEMARK_MQTT.

The table is kept in a directory of this project under your cache directory, and the next
dev continues with it; --fresh begins with an empty one, --data chooses the directory. With
a command, the table is in memory unless --data is given.

--mqtt also runs an MQTT broker, at 127.0.0.1:1883 or at the given address. Its messages
take the way of AWS IoT: publish to TOPIC/devices/ID/readings, with any first level. It has
no passwords: with --mqtt=0.0.0.0:1883, every machine of your network can write.

The table is in an engine of this program, which does what Tidemark needs of DynamoDB. Your
own programs may send it the same requests; it refuses others by name. With --engine
dynamodb-local it is in DynamoDB Local of AWS, which has all operations and needs Java. Each
engine keeps its tables in files of its own.

--clock sets the clock of the table, the functions and the API; see tidemark clock.

--fault makes the table fail as DynamoDB does, once for each fault:
` + faultList + `

The HTTP API and the table's endpoint listen on 127.0.0.1 only.

Examples:
  tidemark dev
  tidemark dev --port 8080
  tidemark dev --fresh
  tidemark dev --mqtt
  tidemark dev -- sh -c 'tidemark import --wait readings.ndjson && tidemark verify'
  tidemark dev --engine dynamodb-local
  tidemark dev --fresh --clock 2026-03-29T00:30Z
  tidemark dev --fault partition-units=100 --fault write-unconfirmed=0.01`

// faultList has an example of each fault of --fault.
var faultList = "  " + strings.Join(protocol.DescribeFaults(), "\n  ")

func devCommand(to *connection) *cobra.Command {
	var flags devFlags
	cmd := &cobra.Command{
		Use:  "dev [flags] [-- COMMAND…]",
		Long: devHelp,
		Args: afterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			return dev(cmd, to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.port, "port", "0", "`port` of the HTTP API; 0 is any free port")
	cmd.Flags().StringVar(&flags.mqtt, "mqtt", "", "also run an MQTT broker at this `address`")
	cmd.Flags().Lookup("mqtt").NoOptDefVal = "127.0.0.1:1883"
	cmd.Flags().StringVar(&flags.functions, "functions", "",
		"`directory` of the functions, built for this machine (default build/local; built if it is missing)")
	cmd.Flags().StringVar(&flags.dir, "dir", devDir, "`directory` for logs and the on-failure file")
	cmd.Flags().StringVar(&flags.data, "data", "",
		"`directory` that keeps the table (default: one for this project under the user's cache)")
	cmd.Flags().BoolVar(&flags.fresh, "fresh", false, "delete the kept table first")
	cmd.Flags().StringVar(&flags.engine, "engine", string(stack.Embedded),
		"`engine` of the table: embedded, or dynamodb-local, which needs Java")
	cmd.Flags().StringVar(&flags.clock, "clock", "",
		"set the clock of table and functions to this `time`; tidemark clock moves it")
	cmd.Flags().StringArrayVar(&flags.faults, "fault", nil, "a `fault` of the table, such as stale-reads=2s")
	cmd.AddCommand(devMappingCommand(to))
	cmd.Flags().IntVar(&flags.heap, "heap", 0, "the most `megabytes` of heap for dynamodb-local (default 1024)")
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

func dev(cmd *cobra.Command, to *connection, flags devFlags, command []string) (err error) {
	ctx := cmd.Context()
	if runtime.GOOS == "windows" {
		return usagef("tidemark dev runs on Linux and macOS: on Windows, run it in the Windows Subsystem for Linux")
	}
	file := filepath.Join(flags.dir, filepath.Base(devfile.Path))
	own, unlock, err := ownDir(flags.dir, len(command) > 0)
	if err != nil {
		return err
	}
	defer unlock()
	flags.dir = own
	options, err := devOptions(to, flags)
	if err != nil {
		return err
	}
	release := func() {}
	if options.DynamoDB.Endpoint == "" && (len(command) == 0 || flags.data != "") {
		if options.DynamoDB.DataDir, release, err = stack.OpenData(flags.data, flags.fresh); err != nil {
			return err
		}
	}
	defer release()
	began := time.Now()
	options.Progress = func(step string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%5.1f s  %s\n", time.Since(began).Seconds(), step)
	}
	running, err := stack.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	defer running.Stop()
	if len(command) > 0 {
		return runCommand(ctx, cmd, running, options, command)
	}
	remove, err := devfile.Dev{
		URL: running.URL, Endpoint: running.Endpoint, Table: running.Table, Config: options.ConfigPath,
		PID: os.Getpid(), Started: time.Now(), ID: options.ID, Clock: options.Clock.Path(),
	}.Write(file)
	if err != nil {
		return fmt.Errorf("write the file by which other commands find this dev: %w", err)
	}
	defer remove()
	printWelcome(cmd.OutOrStdout(), running, flags, options.DynamoDB.DataDir)
	select {
	case <-ctx.Done():
		fmt.Fprintln(cmd.OutOrStdout(), "stopped")
		return nil
	case <-running.Context().Done():
		return fmt.Errorf("the stack stopped: %w", running.Err())
	}
}

// devOptions returns the stack that flags, environment and configuration describe. It does
// not look for a running dev, because this is a new one.
func devOptions(to *connection, flags devFlags) (stack.Options, error) {
	to.FromEnvironment()
	settings, err := to.Settings()
	if err != nil {
		return stack.Options{}, err
	}
	if _, err := to.Catalog(); err != nil {
		return stack.Options{}, err
	}
	if err := checkPort(flags.port); err != nil {
		return stack.Options{}, err
	}
	path, err := to.ConfigPath()
	if err != nil {
		return stack.Options{}, err
	}
	engine, err := stack.ParseEngine(flags.engine)
	if err != nil {
		return stack.Options{}, usagef("--engine: %w", err)
	}
	moved, err := setClock(flags)
	if err != nil {
		return stack.Options{}, err
	}
	faults, err := tableFaults(flags, engine, to.Endpoint)
	if err != nil {
		return stack.Options{}, err
	}
	database := ddblocal.FromEnv()
	database.Endpoint, database.HeapMB = to.Endpoint, flags.heap
	return stack.Options{
		Config: settings, ConfigPath: path, Table: to.Table, Port: flags.port, MQTT: flags.mqtt,
		Engine: engine, Clock: moved, DynamoDB: database, BinaryDir: flags.functions, Dir: flags.dir,
		TableFaults: faults, ID: rand.Text(),
	}, nil
}

// tableFaults returns the faults of --fault, which only the embedded engine has.
func tableFaults(flags devFlags, engine stack.Engine, endpoint string) (f protocol.Faults, err error) {
	if len(flags.faults) > 0 && (engine != stack.Embedded || endpoint != "") {
		return f, usagef("--fault is for the embedded engine: leave out --engine and --endpoint")
	}
	for _, text := range flags.faults {
		if err := f.Set(text); err != nil {
			return f, usagef("--fault: %w", err)
		}
	}
	return f, nil
}

// checkPort returns an error if the port of --port cannot be listened on, before anything is built or
// started.
func checkPort(port string) error {
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > math.MaxUint16 {
		return usagef("--port %s: want a number from 0 to 65535; 0 is any free port", port)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return usagef("--port %s: %w: end what listens there, or choose another port", port, err)
	}
	return listener.Close()
}

// runCommand runs the command while the stack runs, and returns its exit status.
func runCommand(ctx context.Context, cmd *cobra.Command, running *stack.Stack, options stack.Options,
	command []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(running.Context(), cancel)()
	status, err := stack.Command{
		Args: command,
		Env: append(os.Environ(),
			"TIDEMARK_URL="+running.URL, "TIDEMARK_ENDPOINT="+running.Endpoint,
			"TIDEMARK_TABLE="+running.Table, "TIDEMARK_CONFIG="+options.ConfigPath, "TIDEMARK_MQTT="+running.MQTT,
			clock.Env+"="+options.Clock.Path()),
		Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
	}.Run(ctx)
	switch {
	case err != nil:
		return usagef("run %s: %w", command[0], err)
	case running.Err() != nil:
		return fmt.Errorf("the stack stopped: %w", running.Err())
	case status != 0:
		return &failure{status: status}
	}
	return nil
}

//go:embed welcome.txt
var welcomeText string

const mqttText = "MQTT broker at %s: publish readings to the topic tidemark/devices/sensor_01/readings.\n\n"

func printWelcome(w io.Writer, running *stack.Stack, flags devFlags, data string) {
	fmt.Fprintf(w, welcomeText, running.URL, running.Endpoint, running.Table,
		cmp.Or(data, "the database that you run"),
		filepath.Join(flags.dir, "logs"), running.Window())
	if running.MQTT != "" {
		fmt.Fprintf(w, mqttText, running.MQTT)
	}
}
