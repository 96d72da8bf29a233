package oracle

import (
	"context"
	"flag"
	"io"
	"os"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/test/internal/loggers"
)

// compareSites is what make oracle-web runs, from the module's root.
func compareSites(args []string) {
	var d disturbance
	top := flag.String("top", "test/data/web.oracle-top.csv.gz", "file of the expected top tens")
	flag.BoolVar(&d.random, "random", false, "send the lines in random order")
	flag.Float64Var(&d.deleted, "deleted", 0, "delete this percentage of the events, and send them again")
	c := Command{Name: "oracle-web", Data: "test/data/web.ndjson.gz", Oracle: "test/data/web.oracle.csv.gz", HeapMB: 2048}
	c.Compare = func(ctx context.Context, rig *loggers.Rig, seed uint64) (int, error) {
		d.seed = seed
		expects, err := ReadOracle(c.Oracle, *top)
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
	c.Main(args)
}

func replayAndCompareSites(ctx context.Context, rig *loggers.Rig, lines map[string][]Line, d disturbance, expects map[Bucket]*Expect, out io.Writer) (r Result, _ error) {
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
	service := &query.Service{Store: dynamo.New(client, rig.Stack.Table), Now: func() model.Time { return first }}
	return Compare(ctx, service, kinds, expects)
}
