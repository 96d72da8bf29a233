package ddblocal_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// What the server takes of items like our events, by each form of a write: the bound of everything that
// runs on it. Only the batch has no conditions, so it cannot be used where an event must be stored once.
func BenchmarkWrites(b *testing.B) {
	const (
		table = "events"
		isNew = "attribute_not_exists(pk)"
		value = "{'pk': ?, 'sk': ?, 'at': ?, 'arrived': ?, 'ttl': ?, 'v': ?, 'w': ?, 'kind': ?, 'fp': ?}"
	)
	names := []string{"pk", "sk", "at", "arrived", "ttl", "v", "w", "kind", "fp"}
	values := func(n int) []types.AttributeValue {
		text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
		number := func(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
		return []types.AttributeValue{
			text(fmt.Sprintf("DEVICE#%d", n/100)), text(fmt.Sprintf("EVENT#%012d", n)), number(n), number(n),
			number(2e9), number(7 * n), number(3 * n), text("reading"), text("0123456789abcdefghijkl"),
		}
	}
	item := func(n int) map[string]types.AttributeValue {
		all := map[string]types.AttributeValue{}
		for i, v := range values(n) {
			all[names[i]] = v
		}
		return all
	}
	forms := []struct {
		name  string
		items int // in a request
		write func(ctx context.Context, c *dynamodb.Client, first int) error
	}{
		{"put", 1, func(ctx context.Context, c *dynamodb.Client, first int) error {
			_, err := c.PutItem(ctx,
				&dynamodb.PutItemInput{TableName: ptr(table), Item: item(first), ConditionExpression: ptr(isNew)})
			return err
		}},
		{"transaction", 100, func(ctx context.Context, c *dynamodb.Client, first int) error {
			in := &dynamodb.TransactWriteItemsInput{}
			for n := first; n < first+100; n++ {
				in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Put: &types.Put{TableName: ptr(table),
					Item: item(n), ConditionExpression: ptr(isNew)}})
			}
			_, err := c.TransactWriteItems(ctx, in)
			return err
		}},
		{"statements", 25, func(ctx context.Context, c *dynamodb.Client, first int) error {
			in := &dynamodb.BatchExecuteStatementInput{}
			for n := first; n < first+25; n++ {
				in.Statements = append(in.Statements, types.BatchStatementRequest{Statement: ptr("INSERT INTO " + table +
					" VALUE " + value), Parameters: values(n)})
			}
			out, err := c.BatchExecuteStatement(ctx, in)
			for i := 0; err == nil && i < len(out.Responses); i++ {
				if e := out.Responses[i].Error; e != nil {
					err = fmt.Errorf("statement %d: %s", i, *e.Message)
				}
			}
			return err
		}},
		{"batch", 25, func(ctx context.Context, c *dynamodb.Client, first int) error {
			var all []types.WriteRequest
			for n := first; n < first+25; n++ {
				all = append(all, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(n)}})
			}
			out, err := c.BatchWriteItem(ctx,
				&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: all}})
			if err == nil && len(out.UnprocessedItems) > 0 {
				err = fmt.Errorf("%d items are unprocessed", len(out.UnprocessedItems))
			}
			return err
		}},
	}
	client := benchTable(b, table)
	var next atomic.Int64
	for began := time.Now(); time.Since(began) < warm; {
		for _, form := range forms {
			if err := form.write(b.Context(), client, int(next.Add(int64(form.items)))-form.items); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, form := range forms {
		b.Run(form.name, func(b *testing.B) {
			b.SetParallelism(2)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := form.write(b.Context(), client, int(next.Add(int64(form.items)))-form.items); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N*form.items)/b.Elapsed().Seconds(), "items/s")
		})
	}
}

// warm is how long the server works before anything is measured: a new one is several times slower.
const warm = 10 * time.Second

// benchTable makes a table with our indexes and our stream on a new server.
func benchTable(b *testing.B, name string) *dynamodb.Client {
	server, err := ddblocal.Start(b.Context(), ddblocal.FromEnv())
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(server.Stop)
	client, err := dynamo.NewClient(b.Context(), "us-east-1", server.Endpoint)
	if err != nil {
		b.Fatal(err)
	}
	if err := dynamo.New(client, name).Create(b.Context()); err != nil {
		b.Fatal(err)
	}
	return client
}

func ptr(s string) *string { return &s }
