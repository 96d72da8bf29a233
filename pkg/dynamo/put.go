package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Put sends one PutItem on condition that the event's identity is not stored: one
// write unit a KB, half of what a transaction takes.
func (t *Table) Put(ctx context.Context, event model.Event) (ingest.Reply, error) {
	x := newExpression()
	answer, old, err := t.putItem(ctx, "put event into", item.FromEvent(&event), x, x.free())
	if answer != model.Refused {
		return ingest.Reply{Answer: answer}, err
	}
	return ingest.Reply{Answer: answer, Stored: []*model.Event{storedEvent(old, event.Key())}}, nil
}

// Quarantine sends one PutItem on condition that the ID is not kept yet. A repeat
// finds what it asks for and is answered Written.
func (t *Table) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	x := newExpression()
	answer, _, err := t.putItem(ctx, "quarantine in", item.FromQuarantined(&q), x, x.free())
	if answer == model.Refused {
		return model.Written, nil
	}
	return answer, err
}

// putItem sends one PutItem with its condition. old is the item on which the
// condition failed, where the answer is Refused.
func (t *Table) putItem(ctx context.Context, operation string, it item.Item, x *expression, condition string) (_ model.Answer, old item.Item, _ error) {
	if err := t.unsent(ctx, operation); err != nil {
		return model.Uncertain, nil, err
	}
	out, failure := t.client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           &t.name,
		Item:                                attributes(it),
		ConditionExpression:                 &condition,
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValuesOnConditionCheckFailure: allOld,
		ReturnConsumedCapacity:              t.capacity.mode(),
	}, once)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	var failed *types.ConditionalCheckFailedException
	if errors.As(failure, &failed) {
		old = itemOf(failed.Item)
	}
	answer, err := t.translate(operation, failure)
	return answer, old, err
}
