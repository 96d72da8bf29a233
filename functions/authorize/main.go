// Command authorize is the Lambda authorizer of the routes whose senders can neither sign a
// request nor get a token: the site key in the path of the collector's route, and the write key
// in the header of the routes for senders of other databases.
package main

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func main() {
	log := telemetry.NewLogger(os.Stdout, slog.LevelInfo)
	h, err := wire(context.Background(), os.Getenv, secret.Read, log)
	if err != nil {
		log.Error("cannot start", telemetry.FieldError, err)
		os.Exit(1)
	}
	lambda.Start(h.handle)
}

// wire builds the handler from the environment.
func wire(ctx context.Context, getenv func(string) string, read secret.Reader, log *slog.Logger) (*handler, error) {
	secrets, err := siteSecrets(ctx, getenv, read)
	if err != nil {
		return nil, err
	}
	client, err := dynamo.NewClient(ctx, getenv(envRegion), getenv(envEndpoint))
	if err != nil {
		return nil, err
	}
	return &handler{
		secrets: secrets,
		keys:    dynamo.New(client, cmp.Or(getenv(config.EnvTable), "tidemark")),
		now:     func() model.Time { return model.TimeOf(time.Now()) },
		local:   getenv(envEndpoint) != "",
		log:     log,
	}, nil
}
