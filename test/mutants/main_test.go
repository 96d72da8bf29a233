// Package mutants plants faults in copies of the code, and runs the tests against each. A fault that no test
// finds is either a gap in the tests or harmless. Harmless faults are listed with the reason. The working
// tree is not changed: each copy replaces its file for one run of the tests.
//
// The faults of list_test.go were written one by one, each for a rule of aggregation; any other survivor makes
// the exit status 1. Those of the files rule*_test.go are made by rule in the packages of the write path:
// negated conditions, dropped statements, shifted bounds, exchanged operators and arguments. All are
// compiled at once, each behind a switch. survivors.txt has the harmless ones; the exit status is 1 if fewer
// than 95 % of the others are found.
package mutants

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/testenv"
)

// TestMain runs a command if TIDEMARK_COMMAND is its flags; those of make mutation follow the word rules.
func TestMain(m *testing.M) {
	testenv.Main(m, func(args []string) {
		if len(args) > 0 && args[0] == "rules" {
			ruleCommand(args[1:])
			return
		}
		command(args)
	})
}

// command is what make mutants runs, from the module's root.
func command(args []string) {
	flag := flag.NewFlagSet("mutants", flag.ExitOnError)
	only := flag.String("run", "", "plant only faults whose name matches this `pattern`")
	limit := flag.Duration("timeout", 3*time.Minute, "of the tests of one package; a timeout is not a kill")
	_ = flag.Parse(args) // it exits if it fails
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, limit time.Duration) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	planted := slices.DeleteFunc(slices.Clone(mutants), func(m mutant) bool { return !wanted.MatchString(m.Name) })
	began := time.Now()
	runner, err := newRunner(limit)
	if err != nil {
		return err
	}
	defer runner.remove()
	if err := runner.checkBaseline(ctx, packagesOf(planted)); err != nil {
		return err
	}
	fmt.Printf("the tests pass on the unchanged code (%s)\n\n", time.Since(began).Round(time.Second))
	var results summary
	for _, m := range planted {
		o, err := runner.try(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		results.add(m, o)
	}
	return results.print(time.Since(began))
}
