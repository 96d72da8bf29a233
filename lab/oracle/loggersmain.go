package oracle

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Command returns the program of make oracle.
func Command() *cobra.Command {
	var twice string
	c := &comparison{Data: "test/data/loggers.csv.gz", Oracle: "test/data/loggers.oracle.csv.gz", HeapMB: 3072}
	c.Compare = func(ctx context.Context, rig *loggers.Rig, _ uint64) (int, error) {
		return replayAndCompareLoggers(ctx, rig, c, twice)
	}
	cmd := c.command("oracle",
		"Replay loggers through the running stack, and compare every bucket with an independent oracle")
	cmd.Flags().StringVar(&twice, "twice", "",
		"`file` of the wrong buckets that counting redeliveries gives; none may occur")
	return cmd
}

func replayAndCompareLoggers(
	ctx context.Context, rig *loggers.Rig, c *comparison, twice string,
) (wrong int, _ error) {
	expects, err := loggers.ReadOracle(c.Oracle)
	if err != nil {
		return 0, err
	}
	if err := rig.Tidemark(ctx, os.Stdout, "replay", "--wait", "--map", loggers.Map, c.Data); err != nil {
		return 0, err
	}
	rows, err := rig.Rows(ctx)
	if err != nil {
		return 0, err
	}
	loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
	result := loggers.Compare(rows, expects)
	result.Print(os.Stdout)
	fmt.Printf("plain counter with the same deliveries: wrong in %d of %d\n", rig.Counter.Wrong(expects),
		len(expects))
	met, err := doubleCounted(twice, rows)
	return len(result.Wrong) + met, err
}

// doubleCounted prints and returns how many rows have the values that counting redeliveries would
// give. The file lists only buckets where these differ.
func doubleCounted(path string, rows []rollup.Row) (met int, err error) {
	if path == "" {
		return 0, nil
	}
	twice, err := loggers.ReadOracle(path)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		if wrong, listed := twice[rows[i].Key]; listed && len(loggers.Differences(&rows[i], wrong)) == 0 {
			met++
		}
	}
	fmt.Printf("double-counted values: %d of %d\n", met, len(twice))
	return met, nil
}
