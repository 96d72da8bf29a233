package dynamo_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// createRestored creates a table as a restore leaves it: with its schema and items, without stream
// and TTL.
func createRestored(t *testing.T, definition dynamo.Definition) *dynamo.Table {
	t.Helper()
	client, name := local(t), "restored-"+rand.Text()
	in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest}
	key := func(partition, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange},
		}
	}
	names := []string{definition.Partition, definition.Sort}
	in.KeySchema = key(definition.Partition, definition.Sort)
	for _, i := range definition.Indexes {
		names = append(names, i.Partition, i.Sort)
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &i.Name, KeySchema: key(i.Partition, i.Sort), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		})
	}
	for _, n := range names {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: &n, AttributeType: types.ScalarAttributeTypeS})
	}
	if _, err := client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return dynamo.New(client, name)
}

func TestAdopt_EnablesStreamAndTTLOfARestoredTable(t *testing.T) {
	t.Parallel()
	table := createRestored(t, dynamo.Standard())
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
		t.Errorf("an adopted table differs from the definition: %v", err)
	}
}

func TestAdopt_RejectsATableWithAnotherSchema(t *testing.T) {
	t.Parallel()
	definition := dynamo.Standard()
	definition.Indexes = definition.Indexes[:1]
	table := createRestored(t, definition)
	if _, err := table.Adopt(t.Context()); err == nil || !strings.Contains(err.Error(), "has the indexes") {
		t.Errorf("got %v", err)
	}
	if arn, err := table.StreamARN(t.Context()); err != nil || arn != "" {
		t.Errorf("stream %q, %v: want nothing changed", arn, err)
	}
}
