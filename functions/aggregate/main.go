// Command aggregate is the Lambda function that the table stream invokes: it recomputes
// rollups and evaluates alert rules. A schedule makes it deliver waiting notifications and sweep closed
// buckets; a sweep with much to do invokes the function again for a part of it.
package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/eventbus"
	"github.com/tidemark-db/tidemark/internal/api/selfinvoke"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/retry"
)

func main() { startup.Serve(os.Stderr, wire, func(h *handler) any { return h }) }

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	e, err := startup.Open(ctx, getenv)
	if err != nil {
		return nil, err
	}
	table, now := e.Table, startup.Now
	h := &handler{
		progress: &aggregate.StreamProgress{Store: table, Now: now, MaxAge: e.Settings.Mapping.MaxAge},
		blocked:  &aggregate.BlockedBatches{Store: table, Now: now},
		pulse:    &aggregate.Heartbeat{Store: table, Now: now, MaxAge: e.Settings.Mapping.MaxAge},
		log:      log,
		metrics:  e.Metrics,
		units:    e.Units,
		function: e.Function,
		tracer:   e.Tracer,
	}
	self, err := selfinvoke.FromEnv(ctx, getenv)
	if err != nil {
		return nil, err
	}
	if self != nil {
		h.self = self
	}
	publisher := eventbus.FromEnv(getenv(config.EnvAlertBus), getenv(config.EnvAlertFile))
	current := e.Current()
	h.refresh = func(ctx context.Context) error {
		kinds, changed, err := current.Kinds(ctx)
		if err != nil || !changed {
			return err
		}
		aggregator := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: now,
			Limits: aggregate.Limits{QuarantineRetention: e.Settings.Quarantine.Retention}}
		aggregator.OnGroups = h.evaluateGroups
		h.processor = aggregator
		h.sweeper = newSweeper(aggregator, kinds)
		h.alerts = &alert.Service{Store: table, Catalog: kinds, Now: now, Rand: rand.Reader,
			RetryPolicy: retry.Policy{Attempts: 60},
			Publisher:   publisher, Stream: table, RulesAge: rulesAge(getenv)}
		return nil
	}
	return h, h.refresh(ctx)
}

// rulesAge returns how long rules are used before they are read again. In "tidemark dev", a person who adds a
// rule waits for its alert.
func rulesAge(getenv func(string) string) time.Duration {
	if getenv(config.EnvAlertFile) != "" {
		return time.Millisecond
	}
	return 0
}
