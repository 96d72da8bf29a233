package linear

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
)

const (
	data   = "test/data/loggers.csv.gz"
	oracle = "test/data/loggers.oracle.csv.gz"

	chaosFor = 75 * time.Second // then the rest of the load runs without faults
	within   = 10 * time.Minute // in total; about three minutes on a quiet machine
)

// ChaosCommand returns the program of make chaos: the stack under load while
// functions are killed, connections to the database are cut, and batches are delivered again and
// late, all at random. Afterwards it closes the open buckets by sweeps that are killed, compares every bucket
// with an independent oracle, and drills a restore of the table to a moment in the middle. It fails if a
// bucket differs. The random choices depend on the seed; when they take effect
// depends on the machine.
func ChaosCommand() *cobra.Command {
	var seed uint64
	var functions string
	var drill bool
	cmd := &cobra.Command{
		Use: "chaos", Args: cobra.NoArgs,
		Short: "Kill functions and cut connections under load, recount every bucket, and restore the table",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), within)
			defer cancel()
			if drill {
				expects, err := loggers.ReadOracle(oracle)
				if err != nil {
					return err
				}
				return restoreDrill(ctx, functions, seed, expects)
			}
			return run(ctx, seed, functions)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`seed` of the random choices")
	cmd.Flags().BoolVar(&drill, "drill", false, "only the drill of a restore")
	cmd.Flags().StringVar(&functions, "functions", "",
		"`directory` of the function binaries (default build/local)")
	return cmd
}

// Errors of the comparison.
var (
	errDiffers = errors.New("the rollups differ from the oracle")
	errTame    = errors.New(
		"no kill and no cut occurred between a write and its acknowledgement: try another seed")
	errGivenUp = errors.New(
		"batches were given up, although the mapping should retry longer than the faults last")
)

func run(ctx context.Context, seed uint64, functions string) error {
	began := time.Now()
	expects, err := loggers.ReadOracle(oracle)
	if err != nil {
		return err
	}
	database, err := ddblocal.Start(ctx, ddblocal.FromEnv())
	if err != nil {
		return err
	}
	defer database.Stop()
	wire, err := newWire(database.Endpoint, drawFrom(seed, 1))
	if err != nil {
		return err
	}
	defer wire.close()
	late := &delay{draw: drawFrom(seed, 2)}
	rig, err := loggers.StartRig(ctx, loggers.Options{
		Endpoint: wire.endpoint, Functions: functions, Tap: late.hold,
		Faults: stack.Faults{Seed: seed, Again: 5, Recut: 5},
	})
	if err != nil {
		return err
	}
	defer rig.Stop()
	kills := &killer{draw: drawFrom(seed, 3), requests: &wire.requests,
		functions: []*stack.Function{rig.Stack.Function("ingest"), rig.Stack.Function("aggregate")}}
	fmt.Printf("chaos     seed %d, for %s at most: SIGKILL to a function every %d to %d requests to the "+
		"database, one request in %d cut, one batch in five delivered again, "+
		"one in five in pieces, one in %d late\n",
		seed, chaosFor, leastBetween, mostBetween, oneIn, delayedOneIn)
	clients, err := newRecorded(ctx, rig, wire.endpoint, seed)
	if err != nil {
		return err
	}
	if err := underChaos(ctx, wire, kills, func() error { return load(ctx, rig, clients) }); err != nil {
		return err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return err
	}
	if err := clients.check(ctx, os.Stdout); err != nil {
		return err
	}
	stats := rig.Stack.Stats()
	loggers.PrintDelivery(os.Stdout, stats)
	kills.print(os.Stdout)
	wire.print(os.Stdout)
	fmt.Printf("delays    %d batches delayed, at most by %s\n", late.held, longestDelay)
	if err := rig.Tidemark(ctx, os.Stdout, "verify"); err != nil {
		return err
	}
	if err := killedSweeps(ctx, rig); err != nil {
		return err
	}
	result := loggers.Compare(withoutRecorded(rows), expects)
	result.Print(os.Stdout)
	fmt.Printf("plain counter with the same deliveries: wrong in %d of %d\ntook %s\n",
		rig.Counter.Wrong(expects), len(expects), time.Since(began).Round(time.Second))
	switch {
	case len(result.Wrong) > 0:
		return errDiffers
	case stats.GivenUp > 0:
		return errGivenUp
	case kills.unacknowledged() == 0 || wire.ambiguous.Load() == 0:
		return errTame
	}
	rig.Stop()
	database.Stop()
	return restoreDrill(ctx, functions, seed, expects)
}

// load replays the loggers through the HTTP front while the recorded clients run, and waits until
// the rollups are complete.
func load(ctx context.Context, rig *loggers.Rig, clients *recorded) error {
	during, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { clients.run(during) })
	err := rig.Tidemark(ctx, os.Stdout, "replay", "--batch", "100", "--map", loggers.Map, data)
	end()
	running.Wait()
	if err != nil {
		return err
	}
	return rig.Stack.Idle(ctx)
}

// underChaos kills and cuts while body runs, at most for the duration of chaos, and stops both
// before it returns.
func underChaos(ctx context.Context, wire *wire, kills *killer, body func() error) error {
	ctx, calm := context.WithTimeout(ctx, chaosFor)
	var running sync.WaitGroup
	wire.cutting.Store(true)
	running.Go(func() {
		kills.run(ctx)
		wire.cutting.Store(false)
	})
	err := body()
	calm()
	running.Wait()
	return err
}

// drawFrom returns a random source for one kind of fault.
func drawFrom(seed, part uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, part)) }
