// Command purge is the Lambda function that removes data: it carries out the purges that
// were requested, on a schedule or by direct invocation, and cleans up after tombstones
// that TTL removed. It is the only function that may erase, and no route of the HTTP API
// invokes it.
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
