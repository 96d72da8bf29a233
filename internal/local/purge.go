package local

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/eventsource"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// startPurge has the table stream tell the purge function of tombstones that TTL took
// away, and has it look for open purges as often as deployed.
func (s *Stack) startPurge(arn string) error {
	settings, err := MappingSettings(s.opts.Config.Mapping)
	if err != nil {
		return err
	}
	if settings.Filter, err = eventsource.ParseFilter(tablekeys.PurgeFilter); err != nil {
		return fmt.Errorf("parse the purge mapping's filter: %w", err)
	}
	mapping := &eventsource.Mapping{
		Source:    NewTableStream(s.Endpoint, arn), // a reader of its own, at its own place
		Invoke:    s.functions[purge].Invoke,
		Settings:  settings,
		Stream:    arn,
		OnFailure: s.failures.add,
		Now:       func() model.Time { return model.TimeOf(time.Now()) },
		Sleep:     retry.Sleep,
	}
	s.running.Go(func() {
		if err := mapping.Run(s.ctx); s.ctx.Err() == nil {
			s.cancel(fmt.Errorf("deliver the table stream to purge: %w", err))
		}
	})
	s.schedule(config.PurgeEvery, s.BringOnPurges)
	return nil
}

// BringOnPurges invokes purge once, as the schedule does, beside the schedule's own
// calls.
func (s *Stack) BringOnPurges(ctx context.Context) (answer []byte, err error) {
	return s.functions[purge].Invoke(ctx, scheduled)
}
