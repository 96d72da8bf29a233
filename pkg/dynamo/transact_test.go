package dynamo_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The items of an append may be at any position in the caller's transaction, which is stored as a
// whole or not at all. TransactResult reports which side failed.
func TestTransactItems_MayBeSentWithTheCallersItems(t *testing.T) {
	t.Parallel()
	table, client := open(t), local(t)
	event := func(at model.Time) storage.AppendTransaction {
		attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.NewDecimal(21))}}
		e := model.Event{
			Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
			Order:  model.Order{At: at}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		}
		return storage.AppendTransaction{
			Latest:    &storage.LatestWrite{Series: e.Series, OrCreate: true, First: e.Order, Last: e.Order, Hash: e.Hash, Set: attrs},
			PurgeLock: &e.Series.Subject, Puts: []model.Event{e},
		}
	}
	own := func(id string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName:           aws.String(table.Name()),
			Item:                map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "OWN#" + id}, "sk": &types.AttributeValueMemberS{Value: "OWN"}},
			ConditionExpression: aws.String("attribute_not_exists(pk)"),
		}}
	}
	for _, step := range []struct {
		name  string
		at    model.Time
		id    string
		first bool // the append's items come first
		want  model.Outcome
	}{
		{"both hold", 1000, "a", true, model.Applied},
		{"both hold, the caller's first", 2000, "b", false, model.Applied},
		{"the append is older", 1500, "c", false, model.Stale},
		{"the event is already stored", 1000, "c", true, model.Duplicate},
		{"the caller's item fails", 3000, "a", true, model.Conflict},
		{"the caller's item fails, and is first", 3000, "b", false, model.Conflict},
	} {
		tx := event(step.at)
		items, err := table.TransactItems(tx)
		if err != nil {
			t.Fatal(err)
		}
		all, position := slices.Concat(items, []types.TransactWriteItem{own(step.id)}), 0
		if !step.first {
			all, position = slices.Concat([]types.TransactWriteItem{own(step.id)}, items), 1
		}
		_, failure := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: all})
		result, err := table.TransactResult(tx, position, failure)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := ingest.ComposedResult(&tx, result); got.Outcome != step.want {
			t.Errorf("%s: %s, want %s", step.name, got.Outcome, step.want)
		}
	}
	var stored item.Item
	stored, err := table.GetItem(t.Context(), keys.Key{PK: "OWN#c", SK: "OWN"})
	if err != nil || stored != nil {
		t.Errorf("the caller's item is stored although the append failed: %v, %v", stored, err)
	}
}

func TestTransactResult_OfAnInvalidPositionIsAnError(t *testing.T) {
	t.Parallel()
	table := dynamo.New(nil, "telemetry")
	cancelled := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("ConditionalCheckFailed")}}}
	for _, position := range []int{-1, 2} {
		if result, err := table.TransactResult(storage.AppendTransaction{}, position, cancelled); err == nil ||
			result.Result != storage.Unknown {
			t.Errorf("position %d of one: %v, %v; want an error", position, result.Result, err)
		}
	}
	if result, err := table.TransactResult(storage.AppendTransaction{}, 0,
		errors.New("no such host")); err == nil || result.Result != storage.Unknown {
		t.Errorf("a permanent failure: %v, %v", result.Result, err)
	}
	if result, err := table.TransactResult(storage.AppendTransaction{}, 0, nil); err != nil ||
		result.Result != storage.Written {
		t.Errorf("no failure: %v, %v; want written", result.Result, err)
	}
}
