// Package dynamo stores Tidemark's items in Amazon DynamoDB. Each method of Table is one request with its
// condition, and returns the result of that request. Splitting, retrying and deciding outcomes happen in the
// packages above, so that they work in the same way with package memory.
//
// Package itemstore builds the requests on single items. errors.go translates the errors of the service.
package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// Table is one DynamoDB table. It implements the stores of append, aggregate, query,
// lifecycle and alerts. It is safe for concurrent use.
type Table struct {
	itemstore.Items
	client   *dynamodb.Client
	name     string
	capacity *Capacity
}

// Option configures a Table.
type Option func(*Table)

// WithCapacity adds what every request consumes to c.
func WithCapacity(c *Capacity) Option { return func(t *Table) { t.capacity = c } }

// New returns the table with this name or ARN, reached through client.
func New(client *dynamodb.Client, name string, options ...Option) *Table {
	t := &Table{client: client, name: name}
	for _, o := range options {
		o(t)
	}
	t.Items = itemstore.New(itemstore.Requests{
		Read: t.read, Page: t.page, Write: t.write, ReadMany: t.readMany, WriteMany: t.writeMany,
	})
	return t
}

// Valid returns an error if the table has no client or no name: each request would panic or fail. Open of
// package timeseries calls it.
func (t *Table) Valid() error {
	if t.client == nil || t.name == "" {
		return errors.New("dynamo: the table has no client or no name: create it with dynamo.New(client, name)")
	}
	return nil
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// noRetry disables the SDK's retries of a write. A retry would hide an ambiguous failure: the second attempt
// finds what the first one stored, and its failed condition would decide the outcome. The packages above
// retry instead and resolve unknown results first. Reads keep the SDK's retries.
func noRetry(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// checkContext returns an error if ctx has ended. Only then is it certain that a cancelled
// write is not stored.
func (t *Table) checkContext(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return t.failed(operation, fmt.Errorf("not sent: %w", err))
	}
	return nil
}

// failed returns the error of an operation, with its class and with advice on a permanent error.
func (t *Table) failed(operation string, err error) error {
	return fmt.Errorf("%s in %s: %w", operation, t.name, classified(err))
}

// localRegion is the region for servers that ignore it.
const localRegion = "us-east-1"

// NewClient returns a client for the service in region, or for the server at endpoint if that is set. An
// empty region means AWS_REGION. Create the client once, at cold start: it keeps connections open and is safe
// for concurrent use. Credentials come from the environment; see package awsenv. For a profile or a sign-in,
// create a client with the SDK's config package and pass it to New.
//
// An endpoint always gets fixed credentials: DynamoDB Local accepts any, and real ones
// must not be sent to it.
func NewClient(_ context.Context, region, endpoint string) (*dynamodb.Client, error) {
	if endpoint != "" {
		return localClient(region, endpoint), nil
	}
	c, err := awsenv.Config(region)
	if err != nil {
		return nil, fmt.Errorf("configure the DynamoDB client: %w, or an endpoint for a server on this machine",
			err)
	}
	return dynamodb.NewFromConfig(c), nil
}

func localClient(region, endpoint string) *dynamodb.Client {
	region = cmp.Or(region, localRegion)
	return dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: &endpoint,
		HTTPClient:   awsenv.HTTPClient(),
		Credentials:  aws.CredentialsProviderFunc(localCredentials),
	})
}

func localCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local", Source: "DynamoDB Local"}, nil
}

// The interfaces that Table implements, by the package that calls them.
var (
	_ ingest.Store                = (*Table)(nil)
	_ ingest.QuarantineStore      = (*Table)(nil)
	_ ingest.RotatingSecretStore  = (*Table)(nil)
	_ ingest.PurgeLocks           = (*Table)(nil)
	_ aggregate.Store             = (*Table)(nil)
	_ storage.EventVisitor        = (*Table)(nil)
	_ aggregate.RowReader         = (*Table)(nil)
	_ aggregate.ProgressStore     = (*Table)(nil)
	_ aggregate.InvalidationStore = (*Table)(nil)
	_ aggregate.SeriesStore       = (*Table)(nil)
	_ aggregate.LatestStore       = (*Table)(nil)
	_ query.Store                 = (*Table)(nil)
	_ lifecycle.Store             = (*Table)(nil)
	_ lifecycle.Eraser            = (*Table)(nil)
	_ lifecycle.EventStore        = (*Table)(nil)
	_ alert.Store                 = (*Table)(nil)
)
