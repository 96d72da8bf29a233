package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// notExpiring: the item exists and does not expire within tier.ExpiryMargin. A user must
// not delete an item that TTL is about to remove, because the stream record of its
// expiry must not look like a deletion.
func (x *expression) notExpiring(now model.Time) string {
	soon := x.number(now.Add(tier.ExpiryMargin).Seconds())
	return x.exists(keys.AttrPK) + " AND (" + x.missing(keys.AttrExpiresAt) + " OR " + x.name(keys.AttrExpiresAt) + " > " + soon + ")"
}

// expiryNotEarlier: the stored expiry is not later than the given one. A correction may
// not shorten the retention of an event.
func (x *expression) expiryNotEarlier(expiresAt int64) string {
	return x.name(keys.AttrExpiresAt) + " <= " + x.number(expiresAt)
}

// DeleteEvent deletes an event for a user, on condition that it exists and does not expire
// within tier.ExpiryMargin of now; otherwise the result is ConditionFailed.
func (t *Table) DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error) {
	const operation = "delete event from"
	if err := t.checkContext(ctx, operation); err != nil {
		return storage.Unknown, err
	}
	x := newExpression()
	condition := x.notExpiring(now)
	out, failure := t.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 &t.name,
		Key:                       primary(keys.Event(event)),
		ConditionExpression:       &condition,
		ExpressionAttributeNames:  x.names,
		ExpressionAttributeValues: x.values,
		ReturnConsumedCapacity:    t.capacity.returnMode(),
	}, noRetry)
	if failure == nil && out.ConsumedCapacity != nil {
		t.capacity.addWrites(*out.ConsumedCapacity)
	}
	return t.translate(operation, failure)
}

// CorrectEvent replaces an event for a user, on condition that it exists, does not expire
// within tier.ExpiryMargin of now, and does not expire earlier than before; otherwise the
// result is ConditionFailed.
func (t *Table) CorrectEvent(ctx context.Context, event model.Event, now model.Time) (storage.WriteResult, error) {
	x := newExpression()
	condition := x.notExpiring(now)
	if event.ExpiresAt != 0 {
		condition += " AND " + x.expiryNotEarlier(event.ExpiresAt)
	}
	result, _, err := t.putItem(ctx, "correct event in", item.FromEvent(&event), x, condition)
	return result, err
}
