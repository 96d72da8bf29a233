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

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*Handler, error) {
	keys, err := cursorKeys(ctx, getenv, secret.Read)
	if err != nil {
		return nil, err
	}
	settings, err := config.FromEnv(getenv, domains.Kinds()...)
	if err != nil {
		return nil, err
	}
	kinds, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, getenv("AWS_REGION"), getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	store := dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark"))
	if err := tableconfig.Load(ctx, store, kinds, now()); err != nil {
		return nil, err
	}
	live := &query.Live{Store: store, Watermarks: store, Catalog: kinds, Now: now}
	service := &query.Service{Store: live, Now: now, CursorKey: keys[0], OlderKeys: keys[1:]}
	h := &Handler{Catalog: kinds, Query: service, OwnerClaim: getenv(config.EnvOwnerClaim), Log: log}
	h.API = sync.OnceValues(func() (json.RawMessage, error) { return describe(kinds) })
	h.Subjects = &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: settings.Limits, Now: now}
	h.Purger = &lifecycle.Purger{Store: store, Now: now, Timing: lifecycle.TimingOf(settings)}
	h.Alerts = &alert.Service{Store: store, Catalog: kinds, Now: now}
	return h, nil
}
