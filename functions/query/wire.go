package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
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
	", or set " + envCursorKey + " to a secret text without spaces, the same for every instance, so that cursors cannot be forged")

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
	service := &query.Service{Store: store, Now: now, CursorKey: keys[0], OlderKeys: keys[1:]}
	h := &Handler{Catalog: kinds, Query: service, Owner: getenv(config.EnvOwnerClaim), Log: log}
	h.API = sync.OnceValues(func() (json.RawMessage, error) { return describe(kinds) })
	h.Life = &lifecycle.Service{Store: store, Profile: kinds.Profile, Limits: settings.Limits, Now: now}
	h.Purger = &lifecycle.Purger{Store: store, Now: now, Timing: lifecycle.TimingOf(settings)}
	h.Alerts = &alert.Service{Store: store, Catalog: kinds, Now: now}
	return h, nil
}

// cursorKeys are the keys of the deployed function, or the laptop's. Where the secret
// holds several, apart by spaces, the first signs and the others still open: so a key
// is replaced without anybody's pages ending midway.
func cursorKeys(ctx context.Context, getenv func(string) string, read secret.Reader) (keys [][]byte, err error) {
	text := getenv(envCursorKey)
	if arn := getenv(config.EnvCursorSecret); text == "" && arn != "" {
		if text, err = read(ctx, arn); err != nil {
			return nil, err
		}
	}
	for _, key := range strings.Fields(text) {
		if len(key) < leastCursorKey {
			return nil, errCursorKey
		}
		keys = append(keys, []byte(key))
	}
	if len(keys) == 0 && getenv(envEndpoint) != "" && getenv(config.EnvCursorSecret) == "" {
		keys = [][]byte{[]byte(localCursorKey)}
	}
	if len(keys) == 0 {
		return nil, errCursorKey
	}
	return keys, nil
}
