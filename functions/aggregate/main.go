// Command aggregate is the function behind the table's stream.
package main

import (
	"context"
	"crypto/rand"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/eventbus"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func main() {
	settings := must(config.FromEnv(os.Getenv, domains.Kinds()...))
	client := must(dynamo.NewClient(context.Background(), "", os.Getenv("TIDEMARK_ENDPOINT")))
	var units dynamo.Capacity
	table := dynamo.New(client, os.Getenv(config.EnvTable), dynamo.WithCapacity(&units))
	now := func() model.Time { return model.TimeOf(time.Now()) }
	kinds := must(settings.Catalog())
	lambda.Start(&handler{
		settler: newSettler(&aggregate.Aggregator{Store: table, Quarantine: table, Catalog: kinds, Now: now,
			Limits: aggregate.Limits{QuarantineFor: settings.Quarantine.Retention}}),
		log: telemetry.NewLogger(os.Stderr, slog.LevelInfo), metrics: &telemetry.Emitter{Out: os.Stdout, Now: now},
		units: units.Units, function: os.Getenv("AWS_LAMBDA_FUNCTION_NAME"), now: now, watermark: &aggregate.Watermark{Store: table},
		alerts: &alert.Service{Store: table, Catalog: kinds, Now: now, Rand: rand.Reader, Patience: retry.Patience{Attempts: 60},
			Publisher: eventbus.FromEnv(os.Getenv(config.EnvAlertBus), os.Getenv(config.EnvAlertFile))},
	})
}

func must[T any](made T, err error) T {
	if err != nil {
		log.Fatal("aggregate: ", err)
	}
	return made
}
