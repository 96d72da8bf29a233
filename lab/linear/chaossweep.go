package linear

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sweepName is the name of the program that chaos starts and kills.
const sweepName = "sweep"

// SweepCommand returns a program that sweeps each queue shard once, as the schedule of aggregate does, with
// a clock that stands still. Its arguments are the endpoint, the table and the time in milliseconds.
func SweepCommand() *cobra.Command {
	return &cobra.Command{
		Use: sweepName + " ENDPOINT TABLE MILLISECONDS", Args: cobra.ExactArgs(3), Hidden: true,
		Short: "Sweep each queue shard once",
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := strconv.ParseInt(args[2], 10, 64)
			if err != nil {
				return err
			}
			swept, err := sweepAll(cmd.Context(), args[0], args[1], model.Time(at))
			fmt.Fprint(cmd.OutOrStdout(), swept)
			return err
		},
	}
}

// sweepAll returns how many buckets were worked off.
func sweepAll(ctx context.Context, endpoint, name string, now model.Time) (swept int, _ error) {
	settings, err := configfile.Load(configfile.FileName, domains.Kinds()...)
	if err != nil {
		return 0, err
	}
	kinds, err := settings.Catalog()
	if err != nil {
		return 0, err
	}
	client, err := dynamo.NewClient(ctx, "", endpoint)
	if err != nil {
		return 0, err
	}
	table := dynamo.New(client, name)
	sweeper := aggregate.Aggregator{
		Store: table, QuarantineStore: table, Catalog: kinds, Now: func() model.Time { return now },
	}
	for _, shard := range storage.FirstGeneration.QueueShards() {
		report, err := sweeper.Sweep(ctx, shard)
		if err != nil || len(report.Failures) > 0 || report.Left > 0 {
			return swept, fmt.Errorf("sweep of queue shard %d: %v, %d failures, %d left", shard, err,
				len(report.Failures), report.Left)
		}
		swept += report.Swept
	}
	return swept, nil
}

// later is how much later each sweep is killed than the one before.
const later = 10 * time.Millisecond

var errSweeps = errors.New("the rows of closed buckets differ from their events")

// killedSweeps closes the hours, days and months of the recorded clients: processes that sweep, with a clock
// in the next month, are killed with SIGKILL, each a little later, until one comes to its end. Then
// every row must equal its events.
func killedSweeps(ctx context.Context, rig *loggers.Rig) error {
	now := tier.Month.BucketAt(model.NewTime(time.Now())).End.Add(time.Hour)
	program, err := os.Executable()
	if err != nil {
		return err
	}
	killed, swept := 0, ""
	for swept == "" {
		limited, cancel := context.WithTimeout(ctx, time.Duration(killed+1)*later)
		sweep := exec.CommandContext(limited, program, sweepName, rig.Stack.Endpoint, rig.Stack.Table,
			strconv.FormatInt(int64(now), 10))
		sweep.Stderr = os.Stderr
		out, err := sweep.Output()
		switch {
		case err == nil:
			swept = string(out)
		case limited.Err() == nil || ctx.Err() != nil:
			cancel()
			return fmt.Errorf("sweep: %w", err)
		default:
			killed++
		}
		cancel()
	}
	table, err := rig.Table(ctx)
	if err != nil {
		return err
	}
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return err
	}
	verifier := verify.Verifier{Store: table, Catalog: kinds, Now: func() model.Time { return now }}
	report, err := verifier.Verify(ctx, verify.Scope{Span: verify.Always})
	if err != nil {
		return err
	}
	equal := report.OK() && report.Count(verify.Pending) == 0
	fmt.Printf("sweeps    %d killed, the next one ended and worked off %s buckets; every row equals its "+
		"events: %t\n", killed, swept, equal)
	if !equal {
		return errSweeps
	}
	return nil
}
