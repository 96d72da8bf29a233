package mutants

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// targets are the packages with faults, from the module's root. The tests of a package are the
// first to run against its faults.
var targets = []string{"internal/engine/ingest", "internal/engine/aggregate", "pkg/rollup",
	"internal/store/item", "internal/store/itemstore", "pkg/keys", "pkg/dynamo", "pkg/lifecycle"}

// furtherSuites are tests of other packages, which reach some of the faults.
var furtherSuites = []string{
	"internal/engine/storetest", "internal/engine/query", "internal/ops/repair", "internal/store/tablestream",
	"internal/engine/tableconfig", "internal/ops/adopt", "pkg/timeseries", "pkg/domains/iot",
	"functions/ingest", "functions/aggregate", "functions/query", "functions/manage", "functions/purge",
	"test/faults", "lab/simulation", "lab/linear",
}

const leastKilled = .95

// RuleCommand returns the program of make mutation.
func RuleCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "mutation", Args: cobra.NoArgs,
		Short: "Plant small faults by rule in the write path, and count what the tests find",
		RunE:  func(cmd *cobra.Command, _ []string) error { return runRules(cmd.Context(), o) },
	}
	cmd.Flags().IntVarP(&o.n, "n", "n", 400, "`number` of faults, chosen at random; 0 means all")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "`seed` of the choice")
	cmd.Flags().StringVar(&o.only, "run", "", "only faults whose name contains this `text`")
	cmd.Flags().BoolVar(&o.own, "own", false,
		"run only the tests of the fault's own package: a quick look while writing them")
	cmd.Flags().StringVar(&o.survivorsOf, "again", "",
		"only faults that survive in this `file`, the output of another run")
	return cmd
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
		return fmt.Errorf("survivors.txt names faults that do not exist any more, such as %q: remove them",
			unknown[0])
	}
	fmt.Printf("%d of %d faults in %d packages, %d suites ready after %s\n", len(r.chosen), len(r.faults),
		len(targets), len(r.suites), time.Since(began).Round(time.Second))
	return r.tryAll(ctx, r.chosen, known).print(time.Since(began))
}
