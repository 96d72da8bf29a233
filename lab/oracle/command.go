// Package oracle compares every bucket of real data with independent oracles: readings of loggers,
// and access logs of small websites (test/data/NOTICE describes both). In its tests these are extracts,
// of the websites on a table in memory. The programs of make oracle and make oracle-web replay all data
// through the running stack with disturbed delivery, and fail if a bucket differs.
package oracle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/lab/loggers"
)

// comparison replays data through the running stack with disturbed delivery, and compares every bucket with
// an oracle. Its fields are the defaults of its flags.
type comparison struct {
	Data, Oracle string // files of the data, in order of arrival, and of the expected buckets
	Functions    string // directory of the function binaries; "" means build/local
	HeapMB       int

	// Compare replays the data and returns how many buckets are wrong. It has the seed of the faults.
	Compare func(context.Context, *loggers.Rig, uint64) (wrong int, err error)
}

// command returns the program of the comparison. It fails if a bucket differs.
func (c *comparison) command(name, short string) *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use: name, Args: cobra.NoArgs, Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), seed) },
	}
	cmd.Flags().StringVar(&c.Data, "data", c.Data, "`file` of the data, in order of arrival")
	cmd.Flags().StringVar(&c.Oracle, "oracle", c.Oracle, "`file` of the expected buckets")
	cmd.Flags().StringVar(&c.Functions, "functions", c.Functions,
		"`directory` of the function binaries (default build/local)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`seed` of the delivery faults")
	return cmd
}

func (c *comparison) run(ctx context.Context, seed uint64) error {
	began := time.Now()
	rig, err := loggers.StartRig(ctx, loggers.Options{Faults: stack.Faults{Seed: seed, Again: 20, Recut: 10},
		Functions: c.Functions, HeapMB: c.HeapMB})
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
