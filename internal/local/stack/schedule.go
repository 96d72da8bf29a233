package stack

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

// scheduled is the payload of a schedule, with the fields that functions read.
var scheduled = []byte(`{"detail-type":"Scheduled Event","source":"aws.events"}`)

// schedule invokes a function at the deployed interval until the stack stops. Errors are in the log
// of the function, and the next invocation retries.
func (s *Stack) schedule(every time.Duration, invoke func(context.Context) ([]byte, error)) {
	s.running.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-s.ctx.Done():
				return
			case <-ticks.C:
				invoke(s.ctx)
			}
		}
	})
}

// startSchedules invokes functions as the deployed schedules do.
func (s *Stack) startSchedules() {
	for _, each := range config.Schedules {
		s.schedule(each.Every, func(ctx context.Context) ([]byte, error) {
			return s.functions[each.Function].Invoke(ctx, scheduled)
		})
	}
}

// startPurge delivers expired tombstones of the table stream to the purge function.
func (s *Stack) startPurge(arn string) error {
	// with its own position in the stream
	mapping, err := s.newMapping(arn, NewTableStream(s.Endpoint, arn), s.functions[purge].Invoke)
	if err != nil {
		return err
	}
	if mapping.Settings.Filter, err = eventsource.ParseFilter(tablekeys.PurgeFilter); err != nil {
		return fmt.Errorf("parse the purge mapping's filter: %w", err)
	}
	s.runMapping(mapping, "deliver the table stream to purge")
	return nil
}

// RunPurges invokes purge once as its schedule does, in addition to the schedule.
func (s *Stack) RunPurges(ctx context.Context) (response []byte, err error) {
	return s.functions[purge].Invoke(ctx, scheduled)
}

// AlertsFile returns the path of the file to which a stack with files in dir writes alerts, one
// line for each change. It replaces the event bus.
func AlertsFile(dir string) string { return filepath.Join(dir, "alerts.ndjson") }

// alertFile returns the environment variable with the absolute path of the file, because the
// functions run in another directory.
func (s *Stack) alertFile() string {
	path := AlertsFile(s.opts.Dir)
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return config.EnvAlertFile + "=" + path
}

// RunAlerts invokes aggregate once as its schedule does, in addition to the schedule.
func (s *Stack) RunAlerts(ctx context.Context) (response []byte, err error) {
	return s.functions[aggregate].Invoke(ctx, scheduled)
}
