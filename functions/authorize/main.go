// Command authorize is the function that checks the site key of a request to the
// collector. It is the one door that neither IAM nor a token guards, because browsers
// come through it: it opens for one thing, and needs no table to do so.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/secret"
	"github.com/tidemark-db/tidemark/internal/telemetry"
)

func main() {
	log := telemetry.NewLogger(os.Stdout, slog.LevelInfo)
	secrets, err := siteSecrets(context.Background(), os.Getenv, secret.Read)
	if err != nil {
		log.Error("cannot start", telemetry.FieldError, err)
		os.Exit(1)
	}
	lambda.Start((&handler{secrets: secrets, log: log}).handle)
}
