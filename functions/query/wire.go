package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/pkg/config"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
)

// The environment of the function, beside that of the configuration.
const (
	envTable     = "TIDEMARK_TABLE"
	envEndpoint  = "TIDEMARK_ENDPOINT"   // of a DynamoDB on this machine; unset when deployed
	envCursorKey = "TIDEMARK_CURSOR_KEY" // what cursors are signed with, on a laptop or in tests
	// envCursorSecret is the ARN of the secret with the deployed stage's key: it is
	// read at cold start, so that no configuration of the function shows it.
	envCursorSecret = "TIDEMARK_CURSOR_SECRET"
)

// localCursorKey signs cursors on a laptop, where nobody is kept out.
const localCursorKey = "cursors of a laptop are signed by a key that everybody knows"

// leastCursorKey is how many bytes make a key hard to guess.
const leastCursorKey = 16

var errCursorKey = errors.New("the key of cursors is missing or shorter than 16 bytes: name its secret in " + envCursorSecret +
	", or set " + envCursorKey + " to a secret text, the same for every instance, so that cursors cannot be forged")

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, log *slog.Logger) (*Handler, error) {
	key, err := cursorKey(ctx, getenv, readSecret)
	if err != nil {
		return nil, err
	}
	settings, err := config.FromEnv(getenv, iot.Kinds()...)
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
	store := dynamo.New(client, cmp.Or(getenv(envTable), "tidemark"))
	service := &query.Service{Store: store, Now: now, CursorKey: key}
	return &Handler{Catalog: kinds, Query: service, Owner: getenv(envelope.EnvOwnerClaim), Log: log}, nil
}

// cursorKey is the key of the deployed function, or the laptop's.
func cursorKey(ctx context.Context, getenv func(string) string, read secretReader) ([]byte, error) {
	key := getenv(envCursorKey)
	switch arn := getenv(envCursorSecret); {
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
