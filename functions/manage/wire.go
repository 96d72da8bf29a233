package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envEndpoint is the URL of DynamoDB Local; unset when deployed.
const envEndpoint = "TIDEMARK_ENDPOINT"

// store is the part of the table that the handler needs.
type store interface {
	lifecycle.Store
	alert.Store
	ingest.EditStore
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
	h.ownerClaim, h.log, h.units = getenv(config.EnvOwnerClaim), log, units.Units
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
		catalog: kinds, limits: settings.Limits, now: now,
		profiles: &lifecycle.Service{Store: s, Profile: kinds.Profile, Limits: settings.Limits, Now: now, Rand: rand.Reader},
		purges:   &lifecycle.Purger{Store: withoutErase{s}, Now: now},
		alerts:   &alert.Service{Store: s, Catalog: kinds, Now: now, Rand: rand.Reader},
		events:   &ingest.Editor{Service: &ingest.Service{Limits: settings.Limits, Now: now, Rand: rand.Reader}, Store: s},
	}, nil
}

// withoutErase is a store for purge requests. Only function purge carries them out.
type withoutErase struct{ lifecycle.Store }

var _ lifecycle.Eraser = withoutErase{}

// Erase always fails.
func (withoutErase) Erase(_ context.Context, items []keys.Key) ([]keys.Key, storage.WriteResult, error) {
	return items, storage.Unknown, errors.New("function manage may not erase: function purge does")
}
