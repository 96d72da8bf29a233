// Command ingest is the Lambda function that appends observations: from POST /v1/{kinds},
// AWS IoT rules, SQS and Kinesis.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stdout, wire, func(h *handler) any { return h.handle })
}
