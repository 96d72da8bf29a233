// Command oracleweb replays access logs of websites through the running stack with disturbed
// delivery, and compares every bucket of every site, as queries return it, with an independent
// oracle. The exit status is 1 if a bucket differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/test/loggers"
	"github.com/tidemark-db/tidemark/test/weblogs"
)

type flags struct {
	data, oracle, top, functions string
	seed                         uint64
}

func main() {
	var f flags
	flag.StringVar(&f.data, "data", "test/data/web.ndjson.gz", "file of the log, in order of arrival")
	flag.StringVar(&f.oracle, "oracle", "test/data/web.oracle.csv.gz", "file of the expected buckets")
	flag.StringVar(&f.top, "top", "test/data/web.oracle-top.csv.gz", "file of the expected top tens")
	flag.StringVar(&f.functions, "functions", "", "directory of the function binaries (default build/local)")
	flag.Uint64Var(&f.seed, "seed", 1, "seed of the delivery faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, f); err != nil {
		fmt.Fprintln(os.Stderr, "oracle-web:", err)
		stop()
		os.Exit(1)
	}
}

var errDiffers = errors.New("the rollups differ from the oracle")

func run(ctx context.Context, f flags) error {
	expects, err := weblogs.ReadOracle(f.oracle, f.top)
	if err != nil {
		return err
	}
	began := time.Now()
	rig, err := loggers.StartRig(ctx, loggers.Options{
		Faults:    local.Faults{Seed: f.seed, Again: 20, Recut: 10},
		Functions: f.functions,
		HeapMB:    2048,
	})
	if err != nil {
		return err
	}
	defer rig.Stop()
	fmt.Printf("faults    seed %d: one batch in twenty is delivered again, one in ten in pieces\n", f.seed)
	if err := replay(ctx, rig, f.data); err != nil {
		return err
	}
	result, err := compare(ctx, rig, expects)
	if err != nil {
		return err
	}
	loggers.PrintDelivery(os.Stdout, rig.Stack.Stats())
	result.Print(os.Stdout)
	fmt.Printf("took %s\n", time.Since(began).Round(time.Second))
	if len(result.Wrong) > 0 {
		return errDiffers
	}
	return nil
}

// replay replays the log, one kind after the other, and waits until the rollups are complete.
func replay(ctx context.Context, rig *loggers.Rig, data string) error {
	dir, err := os.MkdirTemp("", "tidemark-web-")
	if err != nil {
		return fmt.Errorf("make a directory for observations: %w", err)
	}
	defer os.RemoveAll(dir)
	files, err := weblogs.Split(data, dir)
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

// compare reads at the time of the data. Rows of today have not expired, but queries of today hide
// hours of a spread kind that are older than their retention.
func compare(ctx context.Context, rig *loggers.Rig, expects map[weblogs.Bucket]*weblogs.Expect) (weblogs.Result, error) {
	client, err := dynamo.NewClient(ctx, "", rig.Stack.Endpoint)
	if err != nil {
		return weblogs.Result{}, err
	}
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return weblogs.Result{}, err
	}
	first := model.MaxTime
	for b := range expects {
		first = min(first, b.Start)
	}
	service := &query.Service{Store: dynamo.New(client, rig.Stack.Table), Now: func() model.Time { return first }}
	return weblogs.Compare(ctx, service, kinds, expects)
}
