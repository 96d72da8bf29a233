package loggers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
)

// Command is a program that replays data through the running stack with disturbed delivery, and
// compares every bucket with an oracle. Its fields are the defaults of its flags; Main adds the flag
// --seed, of the delivery faults.
type Command struct {
	Name         string
	Data, Oracle string // files of the data, in order of arrival, and of the expected buckets
	Functions    string // directory of the function binaries; "" means build/local
	HeapMB       int

	// Compare replays the data and returns how many buckets are wrong.
	Compare func(context.Context, *Rig) (wrong int, err error)
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
	rig, err := StartRig(ctx, Options{Faults: local.Faults{Seed: seed, Again: 20, Recut: 10}, Functions: c.Functions, HeapMB: c.HeapMB})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("faults    seed %d: one batch in twenty is delivered again, one in ten in pieces\n", seed)
	wrong, err := c.Compare(ctx, rig)
	if err != nil {
		return err
	}
	fmt.Printf("took %s\n", time.Since(began).Round(time.Second))
	if wrong > 0 {
		return errors.New("the rollups differ from the oracle")
	}
	return nil
}
