// Command aggregate is the Lambda function that the table stream invokes: it recomputes
// rollups and evaluates alert rules. A schedule makes it deliver waiting notifications.
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
