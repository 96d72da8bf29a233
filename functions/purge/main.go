// Command purge is the Lambda function that removes data: it carries out the purges that
// were requested, on a schedule or by direct invocation, and cleans up after tombstones
// that TTL removed. It is the only function that may erase, and no route of the HTTP API
// invokes it.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stderr, wire, func(h *handler) any { return h })
}
