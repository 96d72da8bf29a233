package main

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The environment variables of this function, in addition to those of the configuration.
const (
	envEndpoint  = "TIDEMARK_ENDPOINT"   // of a local DynamoDB; unset when deployed
	envCursorKey = "TIDEMARK_CURSOR_KEY" // signs cursors, in a local stack or in tests
)

// function serves requests with the handler of the table's present configuration: a tier
// that becomes deferred is read in another way.
type function struct {
	current *tableconfig.Current
	build   func(*catalog.Catalog) *Handler
	handler *Handler
}

// Handle is Handler.Handle. The error is also that of a configuration that does not fit the
// table, or that cannot be read.
func (f *function) Handle(ctx context.Context, payload json.RawMessage) (any, error) {
	if err := f.refresh(ctx); err != nil {
		return nil, err
	}
	return f.handler.Handle(ctx, payload)
}

// refresh builds the handler if the configuration has changed.
func (f *function) refresh(ctx context.Context) error {
	kinds, changed, err := f.current.Kinds(ctx)
	if err == nil && changed {
		f.handler = f.build(kinds)
	}
	return err
}

// wire builds the function from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*function, error) {
	keys, err := cursorKeys(ctx, getenv, secret.Read)
	if err != nil {
		return nil, err
	}
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
	f := &function{current: &tableconfig.Current{Table: store, Declare: settings.Catalog, Now: now}}
	f.build = func(kinds *catalog.Catalog) *Handler {
		live := &query.Live{Store: store, Watermarks: store, Kind: query.KindsOf(kinds), Now: now}
		return &Handler{
			Catalog:    kinds,
			Query:      &query.Service{Store: live, Now: now, CursorKey: keys[0], OlderKeys: keys[1:]},
			Subjects:   &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: settings.Limits, Now: now},
			Purger:     &lifecycle.Purger{Store: store, Now: now, Timing: lifecycle.TimingOf(settings)},
			Alerts:     &alert.Service{Store: store, Catalog: kinds, Now: now},
			OwnerClaim: getenv(config.EnvOwnerClaim),
			Log:        log,
			API:        sync.OnceValues(func() (json.RawMessage, error) { return describe(kinds) }),
		}
	}
	return f, f.refresh(ctx)
}
