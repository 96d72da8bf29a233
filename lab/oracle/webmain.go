package oracle

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// WebCommand returns the program of make oracle-web.
func WebCommand() *cobra.Command {
	var d disturbance
	var top string
	c := &comparison{Data: "test/data/web.ndjson.gz", Oracle: "test/data/web.oracle.csv.gz", HeapMB: 2048}
	c.Compare = func(ctx context.Context, rig *loggers.Rig, seed uint64) (int, error) {
		d.seed = seed
		expects, err := ReadOracle(c.Oracle, top)
		if err != nil {
			return 0, err
		}
		lines, err := ByKind(c.Data)
		if err != nil {
			return 0, err
		}
		result, err := replayAndCompareSites(ctx, rig, lines, d, expects, os.Stdout)
		loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
		result.Print(os.Stdout)
		return len(result.Wrong), err
	}
	cmd := c.command("oracle-web",
		"Replay web logs through the running stack, and compare every bucket with an independent oracle")
	cmd.Flags().StringVar(&top, "top", "test/data/web.oracle-top.csv.gz", "`file` of the expected top tens")
	cmd.Flags().BoolVar(&d.random, "random", false, "send the lines in random order")
	cmd.Flags().Float64Var(&d.deleted, "deleted", 0,
		"delete this `percentage` of the events, and send them again")
	return cmd
}

func replayAndCompareSites(ctx context.Context, rig *loggers.Rig, lines map[string][]Line, d disturbance,
	expects map[Bucket]*Expect, out io.Writer) (r Result, _ error) {
	for _, of := range lines {
		d.order(of)
	}
	if err := replaySites(ctx, rig, lines, out); err != nil {
		return r, err
	}
	if d.deleted > 0 {
		if err := deleteAndPutBack(ctx, rig, d.sample(lines), expects, out); err != nil {
			return r, err
		}
	}
	return compareAtTheirTime(ctx, rig, expects)
}

// compareAtTheirTime reads at the time of the data. Rows of today have not expired, but queries of today hide
// hours of a spread kind that are older than their retention.
func compareAtTheirTime(ctx context.Context, rig *loggers.Rig, expects map[Bucket]*Expect) (Result, error) {
	client, err := dynamo.NewClient(ctx, "", rig.Stack.Endpoint)
	if err != nil {
		return Result{}, err
	}
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return Result{}, err
	}
	first := model.MaxTime
	for b := range expects {
		first = min(first, b.Start)
	}
	service := &query.Service{Store: dynamo.New(client, rig.Stack.Table),
		Now: func() model.Time { return first }}
	return Compare(ctx, service, kinds, expects)
}
