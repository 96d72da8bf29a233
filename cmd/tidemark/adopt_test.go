package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// createRestored makes the table as a restore leaves it: without stream and TTL.
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

// The backup was taken while changes were on their way: they are mended, and the table
// has what a restore leaves out.
func TestAdopt_MakesARestoredTableWhole(t *testing.T) {
	b := benchOn(t, createRestored(t))
	b.settle(b.append("a", "2026-11-02T10:00:00Z 1"))
	b.append("a", "2026-11-02T10:30:00Z 2")
	b.expect(2, words("adopt"), "--restored")
	b.expect(1, words("verify"), "differs")
	for range 2 {
		b.expect(0, words("adopt --restored --function my-aggregate --purge-function my-purge"),
			"stream and TTL of table "+b.table.Name()+" are set",
			"aws lambda create-event-source-mapping", "--function-name my-aggregate", "--function-name my-purge", "--starting-position TRIM_HORIZON",
			`--filter-criteria '{"Filters":[{"Pattern":"{\"dynamodb\"`, equalText)
	}
	if err := b.table.Create(t.Context()); err != nil {
		t.Errorf("the adopted table is not by the definition: %v", err)
	}
	arn, err := b.table.StreamARN(t.Context())
	if err != nil || arn == "" {
		t.Errorf("stream %q, %v", arn, err)
	}
	b.expect(0, words("adopt --restored --no-verify"), "--event-source-arn "+arn)
}

// Who runs a restored table by hand needs both readers of its stream, each with the
// filter of its function.
func TestMappingAdvice_MakesEachMappingOfTheStack(t *testing.T) {
	settings := config.Default(iot.Kinds()...)
	advice := mappingAdvice(settings.Mapping, "arn:of:the:stream", adoptFlags{function: "fold", purge: "erase", onFailure: "arn:of:the:queue"})
	made := strings.Split(advice, "aws lambda create-event-source-mapping")[1:]
	want := []struct{ function, filter string }{{"fold", keys.AggregateFilter}, {"erase", keys.PurgeFilter}}
	if len(made) != len(want) {
		t.Fatalf("%d mappings, want %d:\n%s", len(made), len(want), advice)
	}
	for i, w := range want {
		pattern, err := json.Marshal(w.filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, option := range []string{
			"--function-name " + w.function + " ", `--filter-criteria '{"Filters":[{"Pattern":` + string(pattern) + "}]}'",
			"--event-source-arn arn:of:the:stream ", `{"OnFailure":{"Destination":"arn:of:the:queue"}}`, "--bisect-batch-on-function-error",
		} {
			if !strings.Contains(made[i], option) {
				t.Errorf("the mapping of %s lacks %s:\n%s", w.function, option, made[i])
			}
		}
	}
}

func TestAdopt_ATableOfAnotherShapeIsRefused(t *testing.T) {
	b := benchOn(t, func(table *dynamo.Table) error { return nil })
	b.expect(3, words("adopt --restored"), "adopt table")
}
