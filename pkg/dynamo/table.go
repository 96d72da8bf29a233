// Package dynamo is the table on Amazon DynamoDB. Each method is one request with
// its condition, and answers what the server answered; cutting, retrying and
// verdicts live above it, so that the table in memory runs under the same decisions.
//
// A file holds one operation and reads the same way: build the input, call, translate
// the answer. What the server says of a failed request is translated in errors.go
// and nowhere else.
package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Table is one DynamoDB table, as append, aggregate and query see it. It may be used
// concurrently.
type Table struct {
	client   *dynamodb.Client
	name     string
	capacity *Capacity
}

// Option adds to a Table.
type Option func(*Table)

// WithCapacity has every request report what it consumed, summed into c.
func WithCapacity(c *Capacity) Option { return func(t *Table) { t.capacity = c } }

// New is the table of that name (or ARN), reached through client.
func New(client *dynamodb.Client, name string, options ...Option) *Table {
	t := &Table{client: client, name: name}
	for _, o := range options {
		o(t)
	}
	return t
}

// Name is the table's name.
func (t *Table) Name() string { return t.name }

// once keeps the SDK from retrying a write. A retry of its own would hide an
// ambiguous failure: the second attempt meets what the first one stored, and its
// refusal would be taken for a verdict. Retries belong to the layer above, which
// resolves what is uncertain before it draws a conclusion. Reads keep the SDK's retries.
func once(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// unsent refuses to begin a request whose context is over: the one case of a
// cancelled write in which it is certain that nothing is stored.
func (t *Table) unsent(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: not sent: %w", operation, t.name, err)
	}
	return nil
}
