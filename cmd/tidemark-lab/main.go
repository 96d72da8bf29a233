// Command tidemark-lab runs the programs that check and measure Tidemark: simulations, oracles on real data,
// planted faults, benchmarks. It is for people who change Tidemark, and runs in the root of a checkout. The
// programs are the packages below lab; this file is the list of them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/bench"
	"github.com/tidemark-db/tidemark/lab/demo"
	"github.com/tidemark-db/tidemark/lab/exhaustive"
	"github.com/tidemark-db/tidemark/lab/fleet"
	"github.com/tidemark-db/tidemark/lab/history"
	"github.com/tidemark-db/tidemark/lab/linear"
	"github.com/tidemark-db/tidemark/lab/live"
	"github.com/tidemark-db/tidemark/lab/mutants"
	"github.com/tidemark-db/tidemark/lab/oracle"
	"github.com/tidemark-db/tidemark/lab/samples"
	"github.com/tidemark-db/tidemark/lab/simulation"
	"github.com/tidemark-db/tidemark/lab/size"
	"github.com/tidemark-db/tidemark/lab/upgrade"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	cmd, err := rootCommand().ExecuteContextC(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", cmd.Name(), err)
		os.Exit(exitStatus(err))
	}
}

func rootCommand() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:           "tidemark-lab",
		Short:         "Check and measure Tidemark, in the root of a checkout",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		demo.Command(), oracle.Command(), oracle.WebCommand(), fleet.Command(),
		simulation.Command(), simulation.CostCommand(), linear.Command(), exhaustive.Command(),
		linear.ChaosCommand(), linear.SweepCommand(), history.Command(), history.ImportCommand(),
		mutants.Command(), mutants.RuleCommand(), upgrade.Command(),
		bench.Command(), samples.Command(), live.Command(), size.Command(),
	)
	return root
}

// exitStatus is 1, or the status that the error asks for.
func exitStatus(err error) int {
	if e := interface{ ExitStatus() int }(nil); errors.As(err, &e) {
		return e.ExitStatus()
	}
	return 1
}
