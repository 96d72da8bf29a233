package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envEndpoint is the URL of DynamoDB Local; unset when deployed.
const envEndpoint = "TIDEMARK_ENDPOINT"

// store is the part of the table that the handler needs.
type store interface {
	lifecycle.Store
	lifecycle.Eraser
}

// eraseRate is the number of items erased a second: half of the 1,000 write units that one
// partition takes a second. The rest is for concurrent writers.
const eraseRate = 500

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	settings, err := config.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, getenv("AWS_REGION"), getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	units := new(dynamo.Capacity)
	table := dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"), dynamo.WithCapacity(units))
	kinds, err := settings.Catalog()
	if err == nil {
		err = tableconfig.Load(ctx, table, kinds, model.TimeOf(time.Now()))
	}
	if err != nil {
		return nil, err
	}
	h, err := newHandler(settings, table)
	if err != nil {
		return nil, err
	}
	h.log, h.units = log, units.Units
	h.function, h.metrics = getenv("AWS_LAMBDA_FUNCTION_NAME"), &telemetry.Emitter{Out: os.Stdout, Now: h.now}
	return h, nil
}

func newHandler(settings *config.Config, s store) (*handler, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	return &handler{
		catalog:  kinds,
		now:      now,
		profiles: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: now, Rand: rand.Reader},
		purger: &lifecycle.Purger{
			Store: s, Now: now, Timing: lifecycle.TimingOf(settings),
			Rate: eraseRate, Copies: lifecycle.CopiesOf(settings),
		},
	}, nil
}
