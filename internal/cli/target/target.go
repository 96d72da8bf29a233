// Package target says which table and HTTP API a command works on: they are found from a stack in
// AWS, from flags or the environment, or from a running "tidemark dev".
package target

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/awsuser"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Target is the table and the HTTP API. Its fields have precedence over the environment. A running "tidemark
// dev" adds what neither names: the dev that serves the URL, or without a URL the one that runs in this
// directory or above, unless another endpoint is named. Without a dev it is the table "tidemark" in AWS.
type Target struct {
	Endpoint string // of DynamoDB; "" means AWS
	Table    string
	File     string // path of tidemark.yaml; "" means the built-in kinds
	Region   string // "" means the AWS configuration's
	URL      string // of the HTTP API; "" means unknown
	// Stack is the stack of UseStack; zero without one.
	Stack deployment.Stack

	isStack bool // UseStack set it: the environment and a running dev say nothing about it
}

// EnvToken is the environment variable of the bearer token for an API that requires tokens.
const EnvToken = "TIDEMARK_TOKEN"

const defaultTable = "tidemark"

// Resolve sets what no flag has set. It may be called more than once.
func (t *Target) Resolve() {
	if t.isStack {
		return
	}
	t.FromEnvironment()
	if t.Endpoint == "" || t.Table == "" || t.URL == "" {
		t.useDev()
	}
	t.Table = cmp.Or(t.Table, defaultTable)
}

// useDev sets what is missing from a running dev, unless the dev contradicts what is set.
func (t *Target) useDev() {
	var dev devfile.Dev
	switch {
	case t.URL != "":
		dev, _ = devfile.At(t.URL)
	case t.Endpoint != "" || t.Table == "": // a table without an endpoint is one in AWS
		dev = devfile.Find()
	}
	if dev.ID == "" || t.Endpoint != "" && t.Endpoint != dev.Endpoint || t.Table != "" && t.Table != dev.Table {
		return
	}
	t.Endpoint, t.Table = dev.Endpoint, dev.Table
	if os.Getenv(clock.Env) == "" && dev.Clock != "" {
		os.Setenv(clock.Env, dev.Clock) // a command lives in the time of the dev that it works on
	}
	t.URL, t.File = cmp.Or(t.URL, dev.URL), cmp.Or(t.File, dev.Config)
}

// noDev says where a running dev was looked for, for messages.
func (t *Target) noDev() string {
	if t.URL != "" {
		return fmt.Sprintf("%s is not a \"tidemark dev\" of this machine", t.URL)
	}
	if dir, err := os.Getwd(); err == nil {
		return fmt.Sprintf("no \"tidemark dev\" was found in %s or above", dir)
	}
	return "no \"tidemark dev\" was found"
}

func (t *Target) FromEnvironment() {
	t.Endpoint = cmp.Or(t.Endpoint, os.Getenv("TIDEMARK_ENDPOINT"))
	t.Table = cmp.Or(t.Table, os.Getenv("TIDEMARK_TABLE"))
	t.File = cmp.Or(t.File, os.Getenv(configfile.EnvFile))
	t.Region = cmp.Or(t.Region, os.Getenv("AWS_REGION"))
	t.URL = cmp.Or(t.URL, os.Getenv("TIDEMARK_URL"))
}

// ConfigPath returns the absolute path of the configuration file, or "" if there is no
// tidemark.yaml and none was named.
func (t *Target) ConfigPath() (string, error) {
	path := cmp.Or(t.File, configfile.FileName)
	if _, err := os.Stat(path); err != nil {
		if t.File == "" && os.IsNotExist(err) {
			return "", nil
		}
		return "", usererr.Errorf("read the configuration: %w", err)
	}
	return filepath.Abs(path)
}

// Settings returns the configuration, the default one if there is no file.
func (t *Target) Settings() (*config.Config, error) {
	path, err := t.ConfigPath()
	if err != nil {
		return nil, err
	}
	if path == "" {
		return config.Default(domains.Kinds()...), nil
	}
	read, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		return nil, usererr.Errorf("%w", err)
	}
	return read, nil
}

// Catalog returns the declared kinds with all defaults applied.
func (t *Target) Catalog() (*catalog.Catalog, error) {
	read, err := t.Settings()
	if err != nil {
		return nil, err
	}
	kinds, err := read.Catalog()
	if err != nil {
		return nil, usererr.Errorf("%w", err)
	}
	return kinds, nil
}

// OpenTable returns the table to work on. It makes no request to the table.
func (t *Target) OpenTable(ctx context.Context) (*dynamo.Table, error) {
	t.Resolve()
	client, err := t.client(ctx)
	switch {
	case err != nil && t.Table != defaultTable: // it was named, and is in AWS
		return nil, usererr.Errorf("table %s: %w", t.Table, err)
	case err != nil:
		return nil, usererr.Errorf("no table to work on: %s: start one; or in AWS: %w", t.noDev(), err)
	}
	return dynamo.New(client, t.Table), nil
}

// OpenKinds returns the table to work on and the declared kinds.
func (t *Target) OpenKinds(ctx context.Context) (*dynamo.Table, *catalog.Catalog, error) {
	table, err := t.OpenTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := t.Catalog()
	return table, kinds, err
}

// OpenTableKinds is OpenKinds with the tiers and retentions of the table, for what writes or
// recomputes. The error wraps tableconfig.ErrRefused if the kinds do not fit the table.
func (t *Target) OpenTableKinds(ctx context.Context) (*dynamo.Table, *catalog.Catalog, error) {
	table, kinds, err := t.OpenKinds(ctx)
	if err == nil {
		err = tableconfig.Load(ctx, table, kinds, model.NewTime(clock.FromEnv().Now()))
	}
	return table, kinds, err
}

// UseStack makes a stack in AWS the one to work on, even if a dev runs here. Without a name it
// changes nothing.
func (t *Target) UseStack(ctx context.Context, stack string) error {
	if stack == "" {
		return nil
	}
	t.FromEnvironment()
	cfg, err := t.Cloud(ctx)
	if err != nil {
		return err
	}
	found, err := deployment.Find(ctx, cfg, stack)
	if err != nil {
		return fmt.Errorf("--stack: %w", err)
	}
	t.isStack, t.Endpoint = true, ""
	t.Stack = found
	t.Table, t.URL = found.Table, found.URL
	return nil
}

// NeedURL returns a usage error if no HTTP API is known.
func (t *Target) NeedURL() error {
	if t.Resolve(); t.URL == "" {
		return usererr.Errorf("no HTTP API: %s; start one, or pass --url, or --stack where the command has it",
			t.noDev())
	}
	return nil
}

// client returns a DynamoDB client with the user's own AWS profile, sign-in or role.
// With an endpoint, which means a server on this machine, it looks for none of them.
func (t *Target) client(ctx context.Context) (*dynamodb.Client, error) {
	if t.Endpoint != "" {
		local, err := dynamo.NewClient(ctx, t.Region, t.Endpoint)
		if err != nil {
			return nil, err
		}
		return dynamodb.New(local.Options(), bounded), nil
	}
	c, err := t.Cloud(ctx)
	if err != nil {
		return nil, err
	}
	if c.Region == "" {
		return nil, fmt.Errorf("no AWS region is configured: set AWS_REGION, or pass --region")
	}
	return dynamodb.NewFromConfig(c, bounded), nil
}

// bounded bounds each request to the table, which takes milliseconds. A function has its own deadline; a
// command would wait for a response that never comes.
func bounded(o *dynamodb.Options) {
	if client, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
		o.HTTPClient = client.WithTimeout(replay.Timeout)
	}
}

// AWS returns the settings for AWS clients. With an endpoint, which means a server
// on this machine, the credentials are made up, so that real ones are never sent there.
func (t *Target) AWS(ctx context.Context) (aws.Config, error) {
	if t.Endpoint == "" {
		return t.Cloud(ctx)
	}
	return aws.Config{
		Region: cmp.Or(t.Region, stack.Region),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
		}),
	}, nil
}

// Cloud returns the settings for clients of AWS, even if there is an endpoint on this machine. The error says
// what to do if no credentials are found.
func (t *Target) Cloud(ctx context.Context) (aws.Config, error) {
	return awsuser.Config(ctx, t.Region)
}

// HTTPClient returns a client of the HTTP API, whose requests carry the token of EnvToken or are signed.
func (t *Target) HTTPClient(ctx context.Context) (*http.Client, error) {
	return deployment.HTTPClient(t.URL, os.Getenv(EnvToken), replay.Timeout, func() (aws.Config, error) {
		return t.Cloud(ctx)
	})
}
