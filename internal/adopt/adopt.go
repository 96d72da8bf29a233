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
