// Command oracle replays the logger data through the running stack with disturbed delivery, and
// compares every stored bucket with an independent oracle. The exit status is 1 if a bucket
// differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/test/loggers"
)

type flags struct {
	data, oracle, twice, functions string
	seed                           uint64
}

func main() {
	var f flags
	flag.StringVar(&f.data, "data", "test/data/loggers.csv.gz", "file of the readings, in order of arrival")
	flag.StringVar(&f.oracle, "oracle", "test/data/loggers.oracle.csv.gz", "file of the expected buckets")
	flag.StringVar(&f.twice, "twice", "", "file of the wrong buckets that counting redeliveries gives; none may occur")
	flag.StringVar(&f.functions, "functions", "", "directory of the function binaries (default build/local)")
	flag.Uint64Var(&f.seed, "seed", 1, "seed of the delivery faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		stop()
		os.Exit(1)
	}
}

var errDiffers = errors.New("the rollups differ from the oracle")

func run(ctx context.Context, f flags) error {
	expects, err := loggers.ReadOracle(f.oracle)
	if err != nil {
		return err
	}
	began := time.Now()
	rig, err := loggers.StartRig(ctx, loggers.Options{
		Faults:    local.Faults{Seed: f.seed, Again: 20, Recut: 10},
		Functions: f.functions,
		HeapMB:    3072,
	})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("faults    seed %d: one batch in twenty is delivered again, one in ten in pieces\n", f.seed)
	if err := rig.Tidemark(ctx, os.Stdout, "replay", "--wait", "--map", loggers.Map, f.data); err != nil {
		return err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return err
	}
	loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
	result := loggers.Compare(rows, expects)
	result.Print(os.Stdout)
	fmt.Printf("plain counter with the same deliveries: wrong in %d of %d\n", rig.Counter.Wrong(expects), len(expects))
	met, err := doubleCounted(f.twice, rows)
	if err != nil {
		return err
	}
	fmt.Printf("took %s\n", time.Since(began).Round(time.Second))
	if len(result.Wrong) > 0 || met > 0 {
		return errDiffers
	}
	return nil
}
