package linear

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/repair/verify"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/test/internal/loggers"
)

// sweepCommand sweeps each queue shard once, as the schedule of aggregate does, with a clock that stands at
// a time. Its arguments are the endpoint, the table and the time in milliseconds.
func sweepCommand(args []string) error {
	ctx := context.Background()
	at, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	settings, err := config.Load(config.FileName, domains.Kinds()...)
	if err != nil {
		return err
	}
	kinds, err := settings.Catalog()
	if err != nil {
		return err
	}
	client, err := dynamo.NewClient(ctx, "", args[0])
	if err != nil {
		return err
	}
	table := dynamo.New(client, args[1])
	sweeper := aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: func() model.Time { return model.Time(at) }}
	swept := 0
	for shard := range tablekeys.QueueShards {
		report, err := sweeper.Sweep(ctx, shard)
		if err != nil || len(report.Failures) > 0 || report.Left > 0 {
			return fmt.Errorf("sweep of queue shard %d: %v, %d failures, %d left", shard, err, len(report.Failures), report.Left)
		}
		swept += report.Swept
	}
	fmt.Print(swept)
	return nil
}

// later is how much later each sweep is killed than the one before.
const later = 10 * time.Millisecond

var errSweeps = errors.New("the rows of closed buckets differ from their events")

// killedSweeps closes the hours, days and months of the recorded clients: processes that sweep, with a clock
// in the next month, are killed with SIGKILL, each a little later, until one comes to its end. Then
// every row must equal its events.
func killedSweeps(ctx context.Context, rig *loggers.Rig) error {
	now := tier.Month.BucketOf(model.TimeOf(time.Now())).End.Add(time.Hour)
	killed, swept := 0, ""
	for swept == "" {
		limited, cancel := context.WithTimeout(ctx, time.Duration(killed+1)*later)
		sweep := exec.CommandContext(limited, os.Args[0])
		sweep.Env = append(os.Environ(), fmt.Sprintf("TIDEMARK_COMMAND=sweep %s %s %d", rig.Stack.Endpoint, rig.Stack.Table, now))
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
	fmt.Printf("sweeps    %d killed, the next one ended and worked off %s buckets; every row equals its events: %t\n", killed, swept, report.OK())
	if !report.OK() {
		return errSweeps
	}
	return nil
}
