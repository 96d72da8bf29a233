package dynamo_test

import (
	"crypto/rand"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

func TestMain(m *testing.M) { ddbtest.Main(m) }

// local returns a client of DynamoDB Local.
func local(t *testing.T) *dynamodb.Client {
	t.Helper()
	client, err := dynamo.NewClient(t.Context(), "", ddbtest.ForTest(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// open creates a table for one test, so that tests run in parallel.
func open(t *testing.T, options ...dynamo.Option) *dynamo.Table {
	t.Helper()
	table := dynamo.New(local(t), "dynamo-"+rand.Text(), options...)
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	return table
}
