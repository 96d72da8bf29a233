package oracle

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/test/internal/loggers"
)

// compareSites is what make oracle-web runs, from the module's root.
func compareSites(args []string) {
	top := flag.String("top", "test/data/web.oracle-top.csv.gz", "file of the expected top tens")
	c := Command{Name: "oracle-web", Data: "test/data/web.ndjson.gz", Oracle: "test/data/web.oracle.csv.gz", HeapMB: 2048}
	c.Compare = func(ctx context.Context, rig *loggers.Rig) (int, error) {
		return replayAndCompareSites(ctx, rig, c, *top)
	}
	c.Main(args)
}

func replayAndCompareSites(ctx context.Context, rig *loggers.Rig, c Command, top string) (wrong int, _ error) {
	expects, err := ReadOracle(c.Oracle, top)
	if err != nil {
		return 0, err
	}
	if err := replaySites(ctx, rig, c.Data); err != nil {
		return 0, err
	}
	result, err := compareAtTheirTime(ctx, rig, expects)
	if err != nil {
		return 0, err
	}
	loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
	result.Print(os.Stdout)
	return len(result.Wrong), nil
}

// replaySites replays the log, one kind after the other, and waits until the rollups are complete.
func replaySites(ctx context.Context, rig *loggers.Rig, data string) error {
	dir, err := os.MkdirTemp("", "tidemark-web-")
	if err != nil {
		return fmt.Errorf("make a directory for observations: %w", err)
	}
	defer os.RemoveAll(dir)
	files, err := Split(data, dir)
	if err != nil {
		return err
	}
	for _, kind := range slices.Sorted(maps.Keys(files)) {
		fmt.Printf("\n$ tidemark replay --wait --kind %s\n", kind)
		if err := rig.Tidemark(ctx, os.Stdout, "replay", "--wait", "--kind", kind, files[kind]); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
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
