package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// The environment of the function, beside that of the configuration.
const (
	envRegion   = "AWS_REGION"
	envEndpoint = "TIDEMARK_ENDPOINT" // of a DynamoDB on this machine; unset when deployed
	envFunction = "AWS_LAMBDA_FUNCTION_NAME"
)

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
	reporter := newReporter(log, os.Stdout, getenv(envFunction), units.Units)
	h, err := newHandler(conf, iot.Readings.Name, web.PageViews.Name, table, reporter)
	if err != nil {
		return nil, err
	}
	h.owner = getenv(config.EnvOwnerClaim)
	return h, nil
}
