// Command manage is the Lambda function behind the HTTP API's writing routes, except
// appends: it writes profiles, purge requests, alerts and rules, and corrects or deletes
// single events. It may not erase: function purge carries out the purges that are requested
// here.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

func main() {
	log := telemetry.NewLogger(os.Stderr, slog.LevelInfo)
	h, err := wire(context.Background(), os.Getenv, log)
	if err != nil {
		log.Error("cannot start", telemetry.FieldError, err)
		os.Exit(1)
	}
	lambda.Start(h)
}
