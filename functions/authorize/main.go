// Command authorize is the Lambda authorizer of the collector's route: it checks the site
// key in the path. Browsers have no other credentials, so neither IAM nor a token protects
// this route. The function does not use the table.
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
