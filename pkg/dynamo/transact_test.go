package dynamo_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// An append stands in a caller's transaction, all or nothing, wherever it stands in it,
// and each side can be told from the other.
func TestTransactItems_StandBesideTheCallersOwn(t *testing.T) {
	t.Parallel()
	table, client := open(t), local(t)
	event := func(at model.Time) ingest.Transaction {
		attrs := model.Attrs{{Name: "temperature", Value: model.NumberValue(model.DecimalOf(21))}}
		e := model.Event{
			Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING"},
			Order:  model.Order{At: at}, Attrs: attrs, Hash: model.HashOf(attrs),
		}
		return ingest.Transaction{
			Current: &ingest.CurrentWrite{Series: e.Series, OrCreate: true, First: e.Order, Last: e.Order, Hash: e.Hash, Set: attrs},
			Gate:    &e.Series.Subject, Puts: []model.Event{e},
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
		want  model.Verdict
	}{
		{"both hold", 1000, "a", true, model.Applied},
		{"both hold, the caller's first", 2000, "b", false, model.Applied},
		{"the append is older", 1500, "c", false, model.Stale},
		{"the append is there already", 1000, "c", true, model.Duplicate},
		{"the caller's own fails", 3000, "a", true, model.Conflict},
		{"the caller's own fails, standing first", 3000, "b", false, model.Conflict},
	} {
		tx := event(step.at)
		items, err := table.TransactItems(tx)
		if err != nil {
			t.Fatal(err)
		}
		all, place := slices.Concat(items, []types.TransactWriteItem{own(step.id)}), 0
		if !step.first {
			all, place = slices.Concat([]types.TransactWriteItem{own(step.id)}, items), 1
		}
		_, failure := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: all})
		reply, err := table.TransactReply(tx, place, failure)
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got := ingest.Judge(&tx, reply); got.Verdict != step.want {
			t.Errorf("%s: %s, want %s", step.name, got.Verdict, step.want)
		}
	}
	var stored item.Item
	stored, err := table.GetItem(t.Context(), keys.Key{PK: "OWN#c", SK: "OWN"})
	if err != nil || stored != nil {
		t.Errorf("what stood beside a refused append is there: %v, %v", stored, err)
	}
}

func TestTransactReply_OfNoPlaceInTheTransactionIsAnError(t *testing.T) {
	t.Parallel()
	table := dynamo.New(nil, "telemetry")
	cancelled := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("ConditionalCheckFailed")}}}
	for _, place := range []int{-1, 2} {
		if reply, err := table.TransactReply(ingest.Transaction{}, place, cancelled); err == nil || reply.Answer != model.Uncertain {
			t.Errorf("place %d of one: %v, %v; want an error", place, reply.Answer, err)
		}
	}
	if reply, err := table.TransactReply(ingest.Transaction{}, 0, errors.New("no such host")); err == nil || reply.Answer != model.Uncertain {
		t.Errorf("a failure that no repeat mends: %v, %v", reply.Answer, err)
	}
	if reply, err := table.TransactReply(ingest.Transaction{}, 0, nil); err != nil || reply.Answer != model.Written {
		t.Errorf("no failure: %v, %v; want it written", reply.Answer, err)
	}
}
