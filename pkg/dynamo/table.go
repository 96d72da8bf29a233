// Package dynamo stores Tidemark's items in Amazon DynamoDB. Each method of Table is one
// request with its condition, and returns the result of that request. Splitting, retrying
// and deciding outcomes happen in the packages above, so that they work in the same way
// with package memory.
//
// Each file holds one operation: build the input, call, translate the result. errors.go
// translates the errors of the service.
package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Table is one DynamoDB table. It implements the stores of append, aggregate, query,
// lifecycle and alerts. It is safe for concurrent use.
type Table struct {
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
	return t
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// noRetry disables the SDK's retries of a write. A retry would hide an ambiguous failure:
// the second attempt finds what the first one stored, and its failed condition would
// decide the outcome. The packages above retry instead and resolve unknown results first.
// Reads keep the SDK's retries.
func noRetry(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

// checkContext returns an error if ctx has ended. Only then is it certain that a cancelled
// write is not stored.
func (t *Table) checkContext(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s %s: not sent: %w", operation, t.name, err)
	}
	return nil
}
