// Command prometheus is the Lambda function that serves Prometheus's HTTP API. It is deployed only
// with prometheus: true.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

func main() {
	log := telemetry.NewLogger(os.Stdout, slog.LevelInfo)
	h, err := wire(context.Background(), os.Getenv, log)
	if err != nil {
		log.Error("cannot start", telemetry.FieldError, err)
		os.Exit(1)
	}
	lambda.Start(h.Handle)
}
