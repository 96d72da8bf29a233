package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// connection says where the table and its doors are. What no flag gives comes from
// the environment. Where neither says anything of the table or its doors, a running
// "tidemark dev" does, else it is the table tidemark in AWS.
type connection struct {
	endpoint string // of DynamoDB; "" means AWS
	table    string
	file     string // path of tidemark.yaml; "" means the built-in kinds
	region   string // "" means as the AWS environment says
	url      string // of the HTTP front; "" means that none is known
}

const defaultTable = "tidemark"

func (c *connection) register(flags *pflag.FlagSet) {
	flags.StringVar(&c.endpoint, "endpoint", "", "DynamoDB `URL`; without one, AWS (env TIDEMARK_ENDPOINT)")
	flags.StringVar(&c.table, "table", "", "table `name`, tidemark if nothing says otherwise (env TIDEMARK_TABLE)")
	flags.StringVar(&c.file, "config", "", "`path` of tidemark.yaml; without one, that of this directory (env TIDEMARK_CONFIG)")
	flags.StringVar(&c.region, "region", "", "AWS `region` (env AWS_REGION)")
	flags.StringVar(&c.url, "url", "", "`URL` of the HTTP front (env TIDEMARK_URL)")
}

// resolve fills what no flag gave. It may be called again.
func (c *connection) resolve() {
	c.fromEnvironment()
	if c.endpoint == "" && c.table == "" && c.url == "" {
		dev := readDevFile()
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

// configPath is the configuration file to read, absolute, or "" where there is none
// and none was asked for.
func (c *connection) configPath() (string, error) {
	path := cmp.Or(c.file, config.FileName)
	if _, err := os.Stat(path); err != nil {
		if c.file == "" && os.IsNotExist(err) {
			return "", nil
		}
		return "", usagef("read the configuration: %v", err)
	}
	return filepath.Abs(path)
}

// settings are what the configuration file says, the defaults where there is none.
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

// catalog is the declared kinds, with every default filled in.
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

// openTable is the table asked for.
func (c *connection) openTable(ctx context.Context) (*dynamo.Table, error) {
	c.resolve()
	client, err := newClient(ctx, c.region, c.endpoint)
	if err != nil {
		return nil, usagef("no table to ask: no \"tidemark dev\" runs here, and: %w; start one, or give --endpoint or --region", err)
	}
	return dynamo.New(client, c.table), nil
}
