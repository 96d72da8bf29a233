// Command prometheus is the Lambda function that serves Prometheus's HTTP API. It is deployed only
// with prometheus: true.
package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpevent"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

func main() { startup.Serve(os.Stdout, wire, func(f *function) any { return f.Handle }) }

// margin is how long before the function's timeout a query fails, so that it fails by name.
const margin = 3 * time.Second

// function serves requests with the table's present configuration.
type function struct {
	tableconfig.Built[*promapi.API]
}

// Handle serves one request of any HTTP gateway. The error is for a payload that is no HTTP
// request, and for a configuration that does not fit the table.
func (f *function) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	api, err := f.Value(ctx)
	if err != nil {
		return nil, err
	}
	r, encode, err := httpevent.Decode(payload)
	if err != nil {
		return nil, err
	}
	return encode(api.Serve(ctx, r)), nil
}

// wire builds the function from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*function, error) {
	e, err := startup.Open(ctx, getenv)
	if err != nil {
		return nil, err
	}
	store, now := e.Table, startup.Now
	engine := promapi.NewEngine(log, config.PrometheusFunction.Timeout-margin)
	build := func(kinds *catalog.Catalog) *promapi.API {
		live := &query.Live{Store: store, Watermarks: store, Stream: store, Kind: query.CatalogKinds(kinds),
			Now: now}
		return &promapi.API{
			Catalog: kinds, Query: &query.Service{Store: live, Now: now}, Engine: engine,
			OwnerClaim: getenv(config.EnvOwnerClaim), Limits: e.Settings.Limits, Log: log,
		}
	}
	f := &function{tableconfig.Built[*promapi.API]{Current: e.Current(), Build: build}}
	_, err = f.Value(ctx)
	return f, err
}
