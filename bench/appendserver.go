package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// tables are the tables that are appended to. DynamoDB Local updates indexes and stream within each
// write, although readings are in no index; DynamoDB does not.
var tables = []struct {
	name   string
	create func(context.Context, *dynamodb.Client) error
}{
	{"primary key only", createBare},
	{"our table", func(ctx context.Context, c *dynamodb.Client) error {
		return dynamo.New(c, appendTable).Create(ctx)
	}},
}

const appendTable = "bench"

// createBare creates a table with the same key, without indexes, stream and TTL.
func createBare(ctx context.Context, client *dynamodb.Client) error {
	in := &dynamodb.CreateTableInput{TableName: aws.String(appendTable),
		BillingMode: types.BillingModePayPerRequest}
	for _, k := range []types.KeySchemaElement{{AttributeName: aws.String(keys.AttrPK),
		KeyType: types.KeyTypeHash}, {AttributeName: aws.String(keys.AttrSK), KeyType: types.KeyTypeRange}} {
		in.KeySchema = append(in.KeySchema, k)
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: k.AttributeName, AttributeType: types.ScalarAttributeTypeS})
	}
	_, err := client.CreateTable(ctx, in)
	return err
}

// onServer runs work on a new DynamoDB Local that has been warmed up.
func onServer(create func(context.Context, *dynamodb.Client) error,
	work func(client *dynamodb.Client, endpoint string) error) error {
	ctx := context.Background()
	server, err := ddblocal.Start(ctx, ddblocal.FromEnv())
	if err != nil {
		return err
	}
	defer server.Stop()
	client, err := dynamo.NewClient(ctx, "", server.Endpoint)
	if err != nil {
		return err
	}
	if err := create(ctx, client); err != nil {
		return err
	}
	if err := warm(client); err != nil {
		return err
	}
	return work(client, server.Endpoint)
}

// warm appends in batches and one by one before the measurement, the same for all contenders. It
// uses the measured table, because a second table makes DynamoDB Local permanently slower.
func warm(client *dynamodb.Client) error {
	in, kind := ingestInto(client)
	until := time.Now().Add(serverWarm)
	var group errgroup.Group
	for i := range appendersAt {
		batch := 1
		if i%2 == 0 {
			batch = appendBatch
		}
		group.Go(func() error {
			for at := 0; time.Now().Before(until); at += batch {
				if err := appendTo(in, kind, fmt.Sprintf("early_%04d", i), at, batch); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
