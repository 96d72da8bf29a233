package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envEndpoint is that of a DynamoDB on this machine; unset when deployed.
const envEndpoint = "TIDEMARK_ENDPOINT"

// table is what the function needs of one.
type table interface {
	lifecycle.Store
	lifecycle.Eraser
	alert.Store
}

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
	store := dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"), dynamo.WithCapacity(units))
	h, err := newHandler(settings, store)
	if err != nil {
		return nil, err
	}
	h.owner, h.log, h.units = getenv(config.EnvOwnerClaim), log, units.Units
	h.function, h.metrics = getenv("AWS_LAMBDA_FUNCTION_NAME"), &telemetry.Emitter{Out: os.Stdout, Now: h.now}
	return h, nil
}

func newHandler(settings *config.Config, store table) (*handler, error) {
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	return &handler{
		catalog: kinds, limits: settings.Limits, now: now,
		life:   &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: settings.Limits, Now: now, Rand: rand.Reader},
		purger: newPurger(settings, store, now),
		alerts: &alert.Service{Store: store, Catalog: kinds, Now: now, Rand: rand.Reader},
	}, nil
}

func newPurger(settings *config.Config, store table, now func() model.Time) *lifecycle.Purger {
	return &lifecycle.Purger{
		Store: store, Now: now, Timing: lifecycle.TimingOf(settings), Shards: catalog.MaxShards,
		Rate: erasedASecond, Copies: lifecycle.CopiesOf(settings),
	}
}

// erasedASecond leaves half of what one partition takes, 1,000 write units a second, to
// those who write at the same time.
const erasedASecond = 500
