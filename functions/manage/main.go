// Command manage is the Lambda function behind the HTTP API's writing routes, except
// appends: it writes profiles, purge requests, alerts and rules, and corrects or deletes
// single events. It may not erase: function purge carries out the purges that are requested
// here.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stderr, wire, func(h *handler) any { return h })
}
