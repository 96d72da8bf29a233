package mutants

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// targets are the packages with faults, from the module's root. The tests of a package are the
// first to run against its faults.
var targets = []string{"internal/ingest", "internal/aggregate", "pkg/rollup", "internal/item", "internal/itemstore", "pkg/keys", "pkg/dynamo", "pkg/lifecycle"}

// furtherSuites are tests of other packages, which reach some of the faults.
var furtherSuites = []string{
	"internal/storetest", "internal/query", "internal/repair", "internal/envelope", "internal/tableconfig", "internal/adopt", "pkg/timeseries", "pkg/domains/iot",
	"functions/ingest", "functions/aggregate", "functions/query", "functions/manage", "functions/purge",
	"test/faults", "test/simulation", "test/linear",
}

const leastKilled = .95

// ruleCommand is what make mutation runs, from the module's root.
func ruleCommand(args []string) {
	flag := flag.NewFlagSet("mutation", flag.ExitOnError)
	o := options{}
	flag.IntVar(&o.n, "n", 400, "`number` of faults, chosen at random; 0 means all")
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of the choice")
	flag.StringVar(&o.only, "run", "", "only faults whose name contains this `text`")
	flag.BoolVar(&o.own, "own", false, "run only the tests of the fault's own package: a quick look while writing them")
	flag.StringVar(&o.survivorsOf, "again", "", "only faults that survive in this `file`, the output of another run")
	_ = flag.Parse(args) // it exits if it fails
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runRules(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		stop()
		os.Exit(1)
	}
}

type options struct {
	n    int
	seed uint64
	only string
	own  bool

	survivorsOf string
}

func runRules(ctx context.Context, o options) error {
	began := time.Now()
	r, err := prepare(ctx, o)
	if err != nil {
		return err
	}
	known, err := readSurvivors()
	if err != nil {
		return err
	}
	if unknown := known.unknown(r.faults); len(unknown) > 0 {
		return fmt.Errorf("survivors.txt names faults that do not exist any more, such as %q: remove them", unknown[0])
	}
	fmt.Printf("%d of %d faults in %d packages, %d suites ready after %s\n", len(r.chosen), len(r.faults), len(targets), len(r.suites), time.Since(began).Round(time.Second))
	return r.tryAll(ctx, r.chosen, known).print(time.Since(began))
}
