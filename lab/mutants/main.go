// Package mutants plants faults in copies of the code, and runs the tests against each. A fault that no test
// finds is either a gap in the tests or harmless. Harmless faults are listed with the reason. The working
// tree is not changed: each copy replaces its file for one run of the tests.
//
// The faults of list*.go were written one by one, each for a rule of aggregation; any other survivor makes
// the exit status 1. The files rule*.go make faults by rule in the packages of the write path: negated
// conditions, dropped statements, shifted bounds, exchanged operators and arguments. All are compiled at
// once, each behind a switch. survivors.txt has the harmless ones; the exit status is 1 if fewer than 95 %
// of the others are found.
package mutants

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// Command returns the program of make mutants.
func Command() *cobra.Command {
	var only string
	var limit time.Duration
	cmd := &cobra.Command{
		Use: "mutants", Args: cobra.NoArgs,
		Short: "Plant written faults in copies of the code, and name the test that finds each",
		RunE:  func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), only, limit) },
	}
	cmd.Flags().StringVar(&only, "run", "", "plant only faults whose name matches this `pattern`")
	cmd.Flags().DurationVar(&limit, "timeout", 15*time.Minute,
		"of the tests of one package; a timeout is not a kill")
	return cmd
}

func run(ctx context.Context, only string, limit time.Duration) error {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	planted := slices.DeleteFunc(slices.Clone(mutants), func(m mutant) bool {
		return !wanted.MatchString(m.Name)
	})
	began := time.Now()
	runner, err := newRunner(limit)
	if err != nil {
		return err
	}
	defer runner.remove()
	if err := runner.checkBaseline(ctx, mutantPackages(planted)); err != nil {
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
