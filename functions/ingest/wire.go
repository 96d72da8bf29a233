package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The environment variables of the function, besides those of package config.
const (
	envRegion   = "AWS_REGION"
	envEndpoint = "TIDEMARK_ENDPOINT" // the URL of DynamoDB Local; unset when deployed
	envFunction = "AWS_LAMBDA_FUNCTION_NAME"
)

// headroom is kept free before the invocation's deadline, for the response.
const headroom = 500 * time.Millisecond

// store is the part of the table that the function needs.
type store interface {
	ingest.Store
	ingest.QuarantineStore
	ingest.RotatingSecretStore
	ingest.PurgeLocks
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	conf, err := config.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, getenv(envRegion), getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	units := new(dynamo.Capacity)
	table := dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"), dynamo.WithCapacity(units))
	h, err := newHandler(conf, table, newReporter(log, os.Stdout, getenv(envFunction), units.Units))
	if err != nil {
		return nil, err
	}
	if err := tableconfig.Load(ctx, table, h.appends.Catalog, h.service.Now()); err != nil {
		return nil, err
	}
	h.appends.OwnerClaim = getenv(config.EnvOwnerClaim)
	if h.collector != nil {
		h.collector.OriginSecrets, err = originSecrets(ctx, conf, getenv, secret.Read)
	}
	return h, err
}

func newHandler(conf *config.Config, s store, r *reporter) (*handler, error) {
	kinds, err := conf.Catalog()
	if err != nil {
		return nil, err
	}
	service := &ingest.Service{
		Store:               s,
		QuarantineStore:     s,
		Limits:              conf.Limits,
		Now:                 func() model.Time { return model.TimeOf(time.Now()) },
		Rand:                rand.Reader,
		Headroom:            headroom,
		OnRetry:             r.retried,
		QuarantineRetention: conf.Quarantine.Retention,
		PurgeLocks:          s,
		PurgeLockMaxAge:     conf.Functions.Ingest.Timeout,
	}
	views := collectorOf(conf, kinds, service, s, r)
	return &handler{
		service:     service,
		collector:   views,
		appends:     httpapi.AppendOptions{Catalog: kinds, Limits: conf.Limits},
		defaultKind: domains.DefaultKind,
		routes:      addedRoutes(views, receiverOf(conf, kinds, service, r)),
		reporter:    r,
	}, nil
}
