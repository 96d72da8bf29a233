// Package adopt has the steps that are special to a table restored from a backup: which
// range of events to check again, and the commands that create the missing event source
// mappings.
package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/internal/tablescan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// CheckWindow is the time before the newest arrival whose changes may not have reached
// the rollups when the backup was made: twice the retention of a table stream.
const CheckWindow = 2 * aggregate.StreamRetention

// NewestArrival scans the table and returns when its newest event arrived, by the clock of
// the ingest function; 0 if there are no events.
func NewestArrival(ctx context.Context, table tablescan.Table) (newest model.Time, err error) {
	err = tablescan.Each(ctx, table, func(it item.Item) error {
		if e, err := item.Event(it); err == nil {
			newest = max(newest, e.ArrivedAt)
		}
		return nil
	})
	return newest, err
}

// Mapping is an event source mapping that invokes a function with records of the table
// stream.
type Mapping struct {
	Stream    string // ARN of the table stream
	Function  string // name or ARN
	Filter    string // event filter pattern
	OnFailure string // ARN of the queue for batches that Lambda stops retrying
}

// CreateCommand returns the AWS command line that creates the mapping as a deployment
// does.
func (m Mapping) CreateCommand(settings config.Mapping) string {
	pattern, _ := json.Marshal(map[string]any{"Filters": []any{map[string]string{"Pattern": m.Filter}}}) // strings cannot fail
	options := []string{
		"--function-name " + m.Function,
		"--event-source-arn " + m.Stream,
		"--starting-position " + config.StartingPosition,
		fmt.Sprintf("--batch-size %d", settings.BatchSize),
		"--maximum-batching-window-in-seconds " + seconds(settings.Window),
		fmt.Sprintf("--parallelization-factor %d", settings.Parallelization),
		fmt.Sprintf("--maximum-retry-attempts %d", settings.MaxRetries),
		"--maximum-record-age-in-seconds " + seconds(settings.MaxAge),
		"--function-response-types ReportBatchItemFailures",
		`--destination-config '{"OnFailure":{"Destination":"` + m.OnFailure + `"}}'`,
		"--filter-criteria '" + string(pattern) + "'",
	}
	if settings.Bisect {
		options = append(options, "--bisect-batch-on-function-error")
	}
	return `  aws lambda create-event-source-mapping \
    ` + strings.Join(options, " \\\n    ") + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) }

// Advice says how to create the event source mappings of both functions, which have the stream and
// the on-failure queue of m.
func (m Mapping) Advice(settings config.Mapping, aggregate, purge string) string {
	a, p := m, m
	a.Function, a.Filter = aggregate, tablekeys.AggregateFilter
	p.Function, p.Filter = purge, tablekeys.PurgeFilter
	return `A deployment creates the event source mappings: import the table into the stack with
"cdk import", then run "cdk deploy". To work before that, create them yourself, and delete
them when the stack has its own. The mapping of aggregate keeps the rollups up to date:

` + a.CreateCommand(settings) + `
The mapping of purge cleans up deleted subjects whose time for a restore has passed. A
schedule of the stack continues purges that have begun: until the stack is deployed,
continue one with "tidemark purge SUBJECT --yes".

` + p.CreateCommand(settings)
}
