package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/eventbus"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envEndpoint is the URL of DynamoDB Local; unset when deployed.
const envEndpoint = "TIDEMARK_ENDPOINT"

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	settings, err := config.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, "", getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	var units dynamo.Capacity
	table := dynamo.New(client, getenv(config.EnvTable), dynamo.WithCapacity(&units))
	now := func() model.Time { return model.TimeOf(time.Now()) }
	h := &handler{
		progress: &aggregate.StreamProgress{Store: table},
		pulse:    &aggregate.Heartbeat{Store: table, Now: now},
		log:      log,
		metrics:  &telemetry.Emitter{Out: os.Stdout, Now: now},
		units:    units.Units,
		function: getenv("AWS_LAMBDA_FUNCTION_NAME"),
	}
	publisher := eventbus.FromEnv(getenv(config.EnvAlertBus), getenv(config.EnvAlertFile))
	current := &tableconfig.Current{Table: table, Declare: settings.Catalog, Now: now}
	h.refresh = func(ctx context.Context) error {
		kinds, changed, err := current.Kinds(ctx)
		if err != nil || !changed {
			return err
		}
		aggregator := &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: now,
			Limits: aggregate.Limits{QuarantineRetention: settings.Quarantine.Retention}}
		h.processor, h.sweeper = newProcessor(aggregator), sweeperOf(aggregator, kinds)
		h.alerts = &alert.Service{Store: table, Catalog: kinds, Now: now, Rand: rand.Reader, RetryPolicy: retry.Policy{Attempts: 60}, Publisher: publisher}
		return nil
	}
	return h, h.refresh(ctx)
}
