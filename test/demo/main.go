// Command demo runs the main job on real input: field loggers are replayed through
// the functions that deploy, delivery is broken on the way, and every bucket is held
// against an independent oracle. Its exit status is the check.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/test/loggers"
)

const (
	data   = "test/data/loggers.csv.gz"
	oracle = "test/data/loggers.oracle.csv.gz"
)

// faults break delivery on the way: one batch in five comes again, one in five is cut
// anew, and the function is killed in the middle of its work and after it.
var faults = local.Faults{Seed: 1, Again: 5, Recut: 5, Kills: []local.Shot{
	{Batch: 8, At: local.Answering},
	{Batch: 14, At: local.Running},
}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

var errDiffers = errors.New("the rollups are not what the oracle says")

func run(ctx context.Context) error {
	began := time.Now()
	expects, err := loggers.ReadOracle(oracle)
	if err != nil {
		return err
	}
	rig, err := loggers.StartRig(ctx, loggers.Options{Faults: faults, OnKill: sayKill})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("The stack is up after %s: DynamoDB Local, the functions that deploy, the table stream's mapping.\n\n", time.Since(began).Round(100*time.Millisecond))
	fmt.Printf("$ tidemark replay --wait --map %s %s\n", loggers.Map, data)
	if err := rig.Tidemark(ctx, os.Stdout, "replay", "--wait", "--map", loggers.Map, data); err != nil {
		return err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return err
	}
	if err := show(ctx, rig, rows); err != nil {
		return err
	}
	result := loggers.Compare(rows, expects)
	result.Print(os.Stdout)
	fmt.Printf("plain counter: wrong in %d of %d\n", rig.Counter.Wrong(expects), len(expects))
	fmt.Printf("(%s in all)\n", time.Since(began).Round(time.Second))
	if len(result.Wrong) > 0 {
		return errDiffers
	}
	fmt.Print(goOn)
	return nil
}

func sayKill(d local.Death) {
	moment := map[local.Moment]string{
		local.Running:   "in the middle of a batch",
		local.Answering: "after its last write, before its acknowledgement",
	}[d.At]
	fmt.Fprintf(os.Stderr, "\n  SIGKILL: the aggregate function (pid %d) dies %s; the batch comes again\n", d.PID, moment)
}

// goOn is what to type next. The lines are tried by a test.
const goOn = `
Go on with a stack of your own:

  bin/tidemark dev --port 8080
  curl -s localhost:8080/v1/readings -H 'content-type: application/json' \
    -d '{"deviceId":"sensor_01","timestamp":"2026-04-20T14:00:00Z","temperature":22.4,"humidity":45}'
  curl -s localhost:8080/v1/devices/sensor_01/readings/latest
  curl -s 'localhost:8080/v1/devices/sensor_01/readings/rollups/hour?from=2026-04-20T00:00:00Z&to=2026-04-21T00:00:00Z'
`
