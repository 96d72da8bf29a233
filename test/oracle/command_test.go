// Package oracle compares every bucket of real data with independent oracles: readings of loggers,
// and access logs of small websites (test/data/NOTICE describes both). In its tests these are extracts,
// of the websites on a table in memory. As the command that make oracle and make oracle-web run, all data is
// replayed through the running stack with disturbed delivery; the exit status is 1 if a bucket differs.
package oracle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/testenv"
	"github.com/tidemark-db/tidemark/test/internal/loggers"
)

// TestMain runs a command if TIDEMARK_COMMAND has its flags, that of the websites after the word web.
func TestMain(m *testing.M) {
	if _, given := os.LookupEnv("TIDEMARK_COMMAND"); !given {
		ddblocal.Main(m)
	}
	testenv.Main(m, func(args []string) {
		if len(args) > 0 && args[0] == "web" {
			compareSites(args[1:])
			return
		}
		compareLoggers(args)
	})
}

// Command is a program that replays data through the running stack with disturbed delivery, and
// compares every bucket with an oracle. Its fields are the defaults of its flags; Main adds the flag
// --seed, of the delivery faults.
type Command struct {
	Name         string
	Data, Oracle string // files of the data, in order of arrival, and of the expected buckets
	Functions    string // directory of the function binaries; "" means build/local
	HeapMB       int

	// Compare replays the data and returns how many buckets are wrong. It has the seed of the faults.
	Compare func(context.Context, *loggers.Rig, uint64) (wrong int, err error)
}

// Main parses the flags in args and runs the command. The exit status is 1 if it fails or a bucket differs.
func (c *Command) Main(args []string) {
	flag.StringVar(&c.Data, "data", c.Data, "file of the data, in order of arrival")
	flag.StringVar(&c.Oracle, "oracle", c.Oracle, "file of the expected buckets")
	flag.StringVar(&c.Functions, "functions", c.Functions, "directory of the function binaries (default build/local)")
	seed := flag.Uint64("seed", 1, "seed of the delivery faults")
	_ = flag.CommandLine.Parse(args) // it exits if it fails
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, *seed); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		stop()
		os.Exit(1)
	}
}

func (c *Command) run(ctx context.Context, seed uint64) error {
	began := time.Now()
	rig, err := loggers.StartRig(ctx, loggers.Options{Faults: local.Faults{Seed: seed, Again: 20, Recut: 10}, Functions: c.Functions, HeapMB: c.HeapMB})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("faults    seed %d: one batch in twenty is delivered again, one in ten in pieces\n", seed)
	wrong, err := c.Compare(ctx, rig, seed)
	if err != nil {
		return err
	}
	fmt.Printf("took %s\n", time.Since(began).Round(time.Second))
	if wrong > 0 {
		return errors.New("the rollups differ from the oracle")
	}
	return nil
}
