package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/devfile"
	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// connection says which table and HTTP API a command works on. Flags have precedence over
// the environment. If neither names a table, an endpoint or a URL, a running
// "tidemark dev" does; without one it is the table "tidemark" in AWS.
type connection struct {
	endpoint string // of DynamoDB; "" means AWS
	table    string
	file     string // path of tidemark.yaml; "" means the built-in kinds
	region   string // "" means that of the AWS configuration
	url      string // of the HTTP API; "" means unknown
}

const defaultTable = "tidemark"

func (c *connection) register(flags *pflag.FlagSet) {
	flags.StringVar(&c.endpoint, "endpoint", "", "`URL` of DynamoDB (default AWS; env TIDEMARK_ENDPOINT)")
	flags.StringVar(&c.table, "table", "", "`name` of the table (default tidemark; env TIDEMARK_TABLE)")
	flags.StringVar(&c.file, "config", "", "`path` of tidemark.yaml (default ./tidemark.yaml if it exists; env TIDEMARK_CONFIG)")
	flags.StringVar(&c.region, "region", "", "AWS `region` (env AWS_REGION)")
	flags.StringVar(&c.url, "url", "", "`URL` of the HTTP API (env TIDEMARK_URL)")
}

// resolve sets what no flag has set. It may be called more than once.
func (c *connection) resolve() {
	c.fromEnvironment()
	if c.endpoint == "" && c.table == "" && c.url == "" {
		dev := devfile.Find()
		c.endpoint, c.table, c.url = dev.Endpoint, dev.Table, dev.URL
		c.file = cmp.Or(c.file, dev.Config)
	}
	c.table = cmp.Or(c.table, defaultTable)
}

func (c *connection) fromEnvironment() {
	c.endpoint = cmp.Or(c.endpoint, os.Getenv("TIDEMARK_ENDPOINT"))
	c.table = cmp.Or(c.table, os.Getenv("TIDEMARK_TABLE"))
	c.file = cmp.Or(c.file, os.Getenv(config.EnvFile))
	c.region = cmp.Or(c.region, os.Getenv("AWS_REGION"))
	c.url = cmp.Or(c.url, os.Getenv("TIDEMARK_URL"))
}

// configPath returns the absolute path of the configuration file, or "" if there is no
// tidemark.yaml and none was named.
func (c *connection) configPath() (string, error) {
	path := cmp.Or(c.file, config.FileName)
	if _, err := os.Stat(path); err != nil {
		if c.file == "" && os.IsNotExist(err) {
			return "", nil
		}
		return "", usagef("read the configuration: %w", err)
	}
	return filepath.Abs(path)
}

// settings returns the configuration, the default one if there is no file.
func (c *connection) settings() (*config.Config, error) {
	path, err := c.configPath()
	if err != nil {
		return nil, err
	}
	if path == "" {
		return config.Default(domains.Kinds()...), nil
	}
	read, err := config.Load(path, domains.Kinds()...)
	if err != nil {
		return nil, usagef("%w", err)
	}
	return read, nil
}

// catalog returns the declared kinds with all defaults applied.
func (c *connection) catalog() (*catalog.Catalog, error) {
	read, err := c.settings()
	if err != nil {
		return nil, err
	}
	kinds, err := read.Catalog()
	if err != nil {
		return nil, usagef("%w", err)
	}
	return kinds, nil
}

// openTable returns the table to work on. It makes no request.
func (c *connection) openTable(ctx context.Context) (*dynamo.Table, error) {
	c.resolve()
	client, err := newClient(ctx, c.region, c.endpoint)
	if err != nil {
		return nil, usagef("no table to work on: no \"tidemark dev\" runs here, and %w; start one, or pass --endpoint or --region", err)
	}
	return dynamo.New(client, c.table), nil
}

// openKinds returns the table to work on and the declared kinds.
func (c *connection) openKinds(ctx context.Context) (*dynamo.Table, *catalog.Catalog, error) {
	table, err := c.openTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := c.catalog()
	return table, kinds, err
}

// openTableKinds is openKinds with the tiers and retentions of the table, for what writes or
// recomputes. The error wraps tableconfig.ErrRefused if the kinds do not fit the table.
func (c *connection) openTableKinds(ctx context.Context) (*dynamo.Table, *catalog.Catalog, error) {
	table, kinds, err := c.openKinds(ctx)
	if err == nil {
		err = tableconfig.Load(ctx, table, kinds, wallClock())
	}
	return table, kinds, err
}
