// Command authorize is the Lambda authorizer of the routes whose senders can neither sign a
// request nor get a token: the site key in the path of the collector's route, the write key
// in the header of the routes for senders of other databases, and the token of a shared link.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/api/startup"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

func main() { startup.Serve(os.Stdout, wireSecrets, func(h *handler) any { return h.handle }) }

// wireSecrets is wire with the secrets of AWS.
func wireSecrets(ctx context.Context, getenv func(string) string, log *slog.Logger) (*handler, error) {
	return wire(ctx, getenv, secret.Read, log)
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, read secret.Reader,
	log *slog.Logger) (*handler, error) {
	load := func(ctx context.Context) ([][]byte, error) { return siteSecrets(ctx, getenv, read) }
	secrets, err := secret.Open(ctx, load, startup.Clock)
	if err != nil {
		return nil, err
	}
	table, err := startup.Table(ctx, getenv)
	if err != nil {
		return nil, err
	}
	return &handler{
		secrets: secrets,
		keys:    table,
		now:     startup.Now,
		local:   getenv(config.EnvEndpoint) != "",
		log:     log,
	}, nil
}
