// Command query is the Lambda function that serves the read requests of the HTTP API.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stdout, wire, func(f *function) any { return f.Handle })
}
