// Command mutants plants faults in copies of the rule, one at a time, and lets the
// tests find them. A fault that no test finds is either a hole in the tests or does
// no harm; which of them do none is listed with the reason, and any other survivor
// makes the exit status 1. Nothing in the working tree is changed: each copy is laid
// over its file for one run of the tests.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"
)

func main() {
	only := flag.String("run", "", "plant only faults whose name matches this `pattern`")
	limit := flag.Duration("timeout", 3*time.Minute, "for the tests of one package; a timeout is no kill")
	flag.Parse()
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
	bench, err := newBench(limit)
	if err != nil {
		return err
	}
	defer bench.remove()
	if err := bench.sound(ctx, packagesOf(planted)); err != nil {
		return err
	}
	fmt.Printf("unchanged, the rule passes (%s)\n\n", time.Since(began).Round(time.Second))
	var verdicts tally
	for _, m := range planted {
		v, err := bench.try(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		verdicts.add(m, v)
	}
	return verdicts.print(time.Since(began))
}
