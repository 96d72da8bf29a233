package main

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// createRestored creates a table as a restore does: without stream and TTL.
func createRestored(t *testing.T) func(*dynamo.Table) error {
	return func(table *dynamo.Table) error {
		key := func(partition, sort string) []types.KeySchemaElement {
			return []types.KeySchemaElement{
				{AttributeName: &partition, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange},
			}
		}
		name, d := table.Name(), dynamo.Standard()
		in := &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest, KeySchema: key(d.Partition, d.Sort)}
		names := []string{d.Partition, d.Sort}
		for _, i := range d.Indexes {
			names = append(names, i.Partition, i.Sort)
			in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
				IndexName: &i.Name, KeySchema: key(i.Partition, i.Sort), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			})
		}
		for _, n := range names {
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &n, AttributeType: types.ScalarAttributeTypeS})
		}
		_, err := clientOf(t).CreateTable(t.Context(), in)
		return err
	}
}

// Some changes had not reached the rollups when the backup was made.
func TestAdopt_RepairsRollupsAndEnablesStreamAndTTL(t *testing.T) {
	b := benchOn(t, createRestored(t))
	b.process(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2")
	b.expect(2, words("adopt"), "--restored")
	b.expect(1, words("verify"), "differs")
	for range 2 {
		b.expect(0, words("adopt --restored"), "table "+b.table.Name()+" has its stream and TTL", equalText, "took ", "  STAGE:\n    table: arn:")
	}
	if err := b.table.Create(t.Context()); err != nil {
		t.Errorf("the adopted table does not match the definition: %v", err)
	}
	arn, err := b.table.StreamARN(t.Context())
	if err != nil || arn == "" {
		t.Errorf("stream %q, %v", arn, err)
	}
	b.expect(0, words("adopt --restored --no-verify"), "    table: "+arn+"\n")
	b.expect(2, words("adopt --restored --stage nowhere"), "no such stage")
}

func TestAdopt_RejectsATableThatIsNotTidemarks(t *testing.T) {
	b := newBench(t)
	b.table = dynamo.New(clientOf(t), "bench-absent")
	b.expect(3, words("adopt --restored"), "the table's configuration")
}
