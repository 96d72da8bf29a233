package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const adoptLong = `Make a table that was restored from a backup a table of Tidemark again. A restore
leaves out the table stream, TTL and the mappings, and the changes that were still on
their way to the rollups when the backup was taken.

It enables the stream and TTL, says how to make the mappings, looks again at every
bucket that an event came to in the last 48 hours before the backup, and at every
other whose digest is wrong, and ends with "tidemark verify". Let writers on it only
when it has ended. It may be run again.

It reads the whole table: once to find what came last, once to find what is wrong, and
twice to verify (--no-verify leaves that out).

Exit status: 0 adopted, and every bucket is right; 1 verify says no; 2 asked wrongly; 3
could not be done.`

const adoptExample = `  tidemark adopt --restored --table tidemark-restored
  tidemark adopt --restored --table tidemark-restored --function tidemark-prod-aggregate \
    --purge-function tidemark-prod-purge --on-failure arn:aws:sqs:eu-west-1:123456789012:tidemark-prod-on-failure`

// restoredWindow is what is looked at again before the newest arrival: twice what a
// table stream remembers.
const restoredWindow = 2 * aggregate.StreamRetention

type adoptFlags struct {
	restored, noVerify         bool
	function, purge, onFailure string
}

func adoptCommand(to *connection) *cobra.Command {
	var flags adoptFlags
	cmd := &cobra.Command{
		Use:     "adopt",
		Short:   "Make a restored table whole again",
		Long:    adoptLong,
		Example: adoptExample,
		Args:    asUsage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return adopt(cmd, to, flags) },
	}
	cmd.Flags().BoolVar(&flags.restored, "restored", false, "the table was restored from a backup")
	cmd.Flags().BoolVar(&flags.noVerify, "no-verify", false, "do not recount at the end")
	cmd.Flags().StringVar(&flags.function, "function", "AGGREGATE_FUNCTION", "`name` or ARN of the aggregate function, for its mapping")
	cmd.Flags().StringVar(&flags.purge, "purge-function", "PURGE_FUNCTION", "`name` or ARN of the purge function, for its mapping")
	cmd.Flags().StringVar(&flags.onFailure, "on-failure", "ON_FAILURE_QUEUE_ARN", "`ARN` of the on-failure queue, for both mappings")
	return cmd
}

func adopt(cmd *cobra.Command, to *connection, flags adoptFlags) error {
	ctx := cmd.Context()
	if !flags.restored {
		return usagef("adopt what? --restored says that the table comes from a backup")
	}
	table, kinds, agg, err := openRepair(cmd, to)
	if err != nil {
		return err
	}
	settings, err := to.settings()
	if err != nil {
		return err
	}
	stream, err := table.Adopt(ctx)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "stream and TTL of table %s are set\n\n%s\n", table.Name(), mappingAdvice(settings.Mapping, stream, flags))
	newest, err := newestArrival(ctx, table)
	if err != nil {
		return fmt.Errorf("find the newest event of table %s: %w", table.Name(), err)
	}
	// What aggregate knew of the table stream is of another one.
	if err := table.DeleteItem(ctx, keys.Watermark()); err != nil {
		return fmt.Errorf("forget the watermark of table %s: %w", table.Name(), err)
	}
	m := mender{table: table, kinds: kinds, agg: agg, cmd: cmd}
	if newest != 0 {
		if err := m.mend(ctx, []model.Gap{{From: newest.Add(-restoredWindow), To: newest}}); err != nil {
			return err
		}
	}
	if flags.noVerify {
		return nil
	}
	return verify(cmd, to, verifyFlags{}, nil)
}

// newestArrival is when the last event came, by the door's clock; 0 where there is none.
func newestArrival(ctx context.Context, table *dynamo.Table) (newest model.Time, err error) {
	err = eachItem(ctx, table, func(it item.Item) error {
		if e, err := item.Event(it); err == nil {
			newest = max(newest, e.ArrivedAt)
		}
		return nil
	})
	return newest, err
}

// mappingAdvice is how the mappings are made: by the deployment, or by hand.
func mappingAdvice(m config.Mapping, stream string, flags adoptFlags) string {
	return `The mappings are made with the stack: import the table into it, and deploy (cdk import,
then cdk deploy). To run before that, make them by hand, and delete them when the stack
has its own. Aggregate's keeps the rollups:

` + mappingCommand(m, stream, flags.function, keys.AggregateFilter, flags.onFailure) + `
Purge's cleans up after subjects whose time in the bin has passed. Purges under way go
on by its schedule, which comes with the stack alone: until then "tidemark purge SUBJECT
--yes" goes on with one.

` + mappingCommand(m, stream, flags.purge, keys.PurgeFilter, flags.onFailure)
}

// mappingCommand has a function told by the table stream of what passes a filter.
func mappingCommand(m config.Mapping, stream, function, filter, onFailure string) string {
	pattern, _ := json.Marshal(map[string]any{"Filters": []any{map[string]string{"Pattern": filter}}}) // strings only
	options := []string{
		"--function-name " + function,
		"--event-source-arn " + stream,
		"--starting-position " + config.StartingPosition,
		fmt.Sprintf("--batch-size %d", m.BatchSize),
		"--maximum-batching-window-in-seconds " + seconds(m.Window),
		fmt.Sprintf("--parallelization-factor %d", m.Parallelization),
		fmt.Sprintf("--maximum-retry-attempts %d", m.MaxRetries),
		"--maximum-record-age-in-seconds " + seconds(m.MaxAge),
		"--function-response-types ReportBatchItemFailures",
		`--destination-config '{"OnFailure":{"Destination":"` + onFailure + `"}}'`,
		"--filter-criteria '" + string(pattern) + "'",
	}
	if m.Bisect {
		options = append(options, "--bisect-batch-on-function-error")
	}
	return `  aws lambda create-event-source-mapping \
    ` + strings.Join(options, " \\\n    ") + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) }
