// Command aggregate is the Lambda function that the table stream invokes: it recomputes
// rollups and evaluates alert rules. A schedule makes it deliver waiting notifications.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stderr, wire, func(h *handler) any { return h })
}
