// Command purge is the function that changes the life of subjects and ends it: the
// HTTP API's PUT, PATCH and DELETE, purges that a schedule brings on, and the cleaning
// up after tombstones that TTL took away. It alone may delete.
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
