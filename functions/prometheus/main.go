// Command prometheus is the Lambda function that serves Prometheus's HTTP API. It is deployed only
// with prometheus: true.
package main

import (
	"os"

	"github.com/tidemark-db/tidemark/internal/startup"
)

func main() {
	startup.Serve(os.Stdout, wire, func(f *function) any { return f.Handle })
}
