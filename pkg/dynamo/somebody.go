package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// lasting: the item is there and will not expire within the margin. What will is
// left to expire, so that its removal is never taken for a deletion.
func (x *expression) lasting(now model.Time) string {
	soon := x.number(now.Add(tier.ExpiryMargin).Seconds())
	return x.exists(keys.AttrPK) + " AND (" + x.missing(keys.AttrExpiresAt) + " OR " + x.name(keys.AttrExpiresAt) + " > " + soon + ")"
}

// notNearer: the stored expiry is not later than the given one. Nobody brings an
// event's expiry nearer: who wants it gone deletes it.
func (x *expression) notNearer(expiresAt int64) string {
	return x.name(keys.AttrExpiresAt) + " <= " + x.number(expiresAt)
}

// DeleteEvent removes an event as somebody does: on condition that it is there and
// does not expire within five minutes of now. Refused says that it is not there, or
// is left to expire.
func (t *Table) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (model.Answer, error) {
	const operation = "delete event from"
	if err := t.unsent(ctx, operation); err != nil {
		return model.Uncertain, err
	}
	x := newExpression()
	condition := x.lasting(now)
	out, failure := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 &t.name,
		Key:                       primary(keys.Event(event)),
		ConditionExpression:       &condition,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ReturnConsumedCapacity:    t.capacity.mode(),
	}, once)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}

// CorrectEvent changes an event in place, as somebody does: the whole item is
// replaced, on condition that it is there, does not expire within five minutes of
// now, and does not expire earlier by the change.
func (t *Table) CorrectEvent(ctx context.Context, event model.Event, now model.Time) (model.Answer, error) {
	x := newExpression()
	condition := x.lasting(now)
	if event.ExpiresAt != 0 {
		condition += " AND " + x.notNearer(event.ExpiresAt)
	}
	answer, _, err := t.putItem(ctx, "correct event in", item.FromEvent(&event), x, condition)
	return answer, err
}
