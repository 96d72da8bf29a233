package main

import (
	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/target"
)

// connection is the table and the HTTP API that the flags of every command choose.
type connection struct{ target.Target }

func (c *connection) register(flags *pflag.FlagSet) {
	flags.StringVar(&c.Endpoint, "endpoint", "", "`URL` of DynamoDB (default AWS; env TIDEMARK_ENDPOINT)")
	flags.StringVar(&c.Table, "table", "", "`name` of the table (default tidemark; env TIDEMARK_TABLE)")
	flags.StringVar(&c.File, "config", "", "`path` of tidemark.yaml (default ./tidemark.yaml if it exists; env TIDEMARK_CONFIG)")
	flags.StringVar(&c.Region, "region", "", "AWS `region` (env AWS_REGION)")
	flags.StringVar(&c.URL, "url", "", "`URL` of the HTTP API (env TIDEMARK_URL)")
}
