package dynamo_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// restored makes a table as a restore leaves it: its shape and its items, no stream
// and no TTL.
func restored(t *testing.T, shape dynamo.Definition) *dynamo.Table {
	t.Helper()
	client, name := local(t), "restored-"+rand.Text()
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest}
	key := func(partition, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange},
		}
	}
	names := []string{shape.Partition, shape.Sort}
	in.KeySchema = key(shape.Partition, shape.Sort)
	for _, i := range shape.Indexes {
		names = append(names, i.Partition, i.Sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &i.Name, KeySchema: key(i.Partition, i.Sort), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		})
	}
	for _, n := range names {
		in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &n, AttributeType: types.ScalarAttributeTypeS})
	}
	if _, err := client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return dynamo.New(client, name)
}

func TestAdopt_GivesARestoredTableItsStreamAndTTL(t *testing.T) {
	t.Parallel()
	table := restored(t, dynamo.Standard())
	first, err := table.Adopt(t.Context())
	if err != nil || !strings.Contains(first, "/stream/") {
		t.Fatalf("stream %q, %v", first, err)
	}
	name := table.Name()
	ttl, err := local(t).DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil || ttl.TimeToLiveDescription.TimeToLiveStatus != types.TimeToLiveStatusEnabled {
		t.Errorf("TTL %+v, %v", ttl, err)
	}
	again, err := table.Adopt(t.Context())
	if err != nil || again != first {
		t.Errorf("adopted again: stream %q, %v; want the same", again, err)
	}
	if err := table.Create(t.Context()); err != nil {
		t.Errorf("an adopted table is not by the definition: %v", err)
	}
}

func TestAdopt_RefusesATableOfAnotherShape(t *testing.T) {
	t.Parallel()
	shape := dynamo.Standard()
	shape.Indexes = shape.Indexes[:1]
	table := restored(t, shape)
	if _, err := table.Adopt(t.Context()); err == nil || !strings.Contains(err.Error(), "has the indexes") {
		t.Errorf("got %v", err)
	}
	if arn, err := table.StreamARN(t.Context()); err != nil || arn != "" {
		t.Errorf("stream %q, %v: want nothing changed", arn, err)
	}
}
