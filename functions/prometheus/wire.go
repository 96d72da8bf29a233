package main

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/promapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// envEndpoint is the address of a local DynamoDB; unset when deployed.
const envEndpoint = "TIDEMARK_ENDPOINT"

// margin is how long before the function's timeout a query fails, so that it fails by name.
const margin = 3 * time.Second

// function serves requests with the table's present configuration.
type function struct {
	current *tableconfig.Current
	build   func(*catalog.Catalog) *promapi.API
	api     *promapi.API
}

// Handle serves one request of any HTTP gateway. The error is for a payload that is no HTTP
// request, and for a configuration that does not fit the table.
func (f *function) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	if err := f.refresh(ctx); err != nil {
		return nil, err
	}
	r, encode, err := envelope.DecodeHTTP(payload)
	if err != nil {
		return nil, err
	}
	return encode(f.api.Serve(ctx, r)), nil
}

// refresh builds the API if the configuration has changed.
func (f *function) refresh(ctx context.Context) error {
	kinds, changed, err := f.current.Kinds(ctx)
	if err == nil && changed {
		f.api = f.build(kinds)
	}
	return err
}

// wire builds the function from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*function, error) {
	settings, err := config.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, getenv("AWS_REGION"), getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	store := dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"))
	engine := promapi.NewEngine(log, config.PrometheusFunction.Timeout-margin)
	f := &function{current: &tableconfig.Current{Table: store, Declare: settings.Catalog, Now: now}}
	f.build = func(kinds *catalog.Catalog) *promapi.API {
		live := &query.Live{Store: store, Watermarks: store, Kind: query.KindsOf(kinds), Now: now}
		return &promapi.API{
			Catalog: kinds, Query: &query.Service{Store: live, Now: now}, Engine: engine,
			OwnerClaim: getenv(config.EnvOwnerClaim), Limits: settings.Limits, Log: log,
		}
	}
	return f, f.refresh(ctx)
}
