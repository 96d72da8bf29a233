package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
	"github.com/tidemark-db/tidemark/pkg/secret"
)

// The environment of the function, beside that of the configuration.
const (
	envEndpoint  = "TIDEMARK_ENDPOINT"   // of a DynamoDB on this machine; unset when deployed
	envCursorKey = "TIDEMARK_CURSOR_KEY" // what cursors are signed with, on a laptop or in tests
)

// localCursorKey signs cursors on a laptop, where nobody is kept out.
const localCursorKey = "cursors of a laptop are signed by a key that everybody knows"

// leastCursorKey is how many bytes make a key hard to guess.
const leastCursorKey = 16

var errCursorKey = errors.New("the key of cursors is missing or shorter than 16 bytes: name its secret in " + config.EnvCursorSecret +
	", or set " + envCursorKey + " to a secret text, the same for every instance, so that cursors cannot be forged")

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*Handler, error) {
	key, err := cursorKey(ctx, getenv, secret.Read)
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
	service := &query.Service{Store: store, Now: now, CursorKey: key}
	h := &Handler{Catalog: kinds, Query: service, Owner: getenv(config.EnvOwnerClaim), Log: log}
	h.Life = &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: settings.Limits, Now: now}
	h.Purger = &lifecycle.Purger{Store: store, Now: now, Timing: lifecycle.TimingOf(settings)}
	return h, nil
}

// cursorKey is the key of the deployed function, or the laptop's.
func cursorKey(ctx context.Context, getenv func(string) string, read secret.Reader) ([]byte, error) {
	key := getenv(envCursorKey)
	switch arn := getenv(config.EnvCursorSecret); {
	case key != "":
	case arn != "":
		var err error
		if key, err = read(ctx, arn); err != nil {
			return nil, err
		}
	case getenv(envEndpoint) != "":
		key = localCursorKey
	}
	if len(key) < leastCursorKey {
		return nil, errCursorKey
	}
	return []byte(key), nil
}
