package dynamo

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reasons are the cancellation reasons of a transaction, in the order of its actions.
type reasons []types.CancellationReason

// next returns the reason of the next action: whether its condition failed, and the item
// it failed on.
func (r *reasons) next() (failed bool, old item.Item) {
	if len(*r) == 0 {
		return false, nil
	}
	reason := (*r)[0]
	*r = (*r)[1:]
	return codeOf(reason) == conditionFailed, itemOf(reason.Item)
}

// failedAppend returns the result of an append that was cancelled by a failed condition.
func (t *Table) failedAppend(tx *ingest.AppendTransaction, cause error) (ingest.StoreResult, error) {
	var cancelled *types.TransactionCanceledException
	errors.As(cause, &cancelled) // always so if translate returned ConditionFailed
	left := reasons(cancelled.CancellationReasons)
	reply := ingest.StoreResult{Result: storage.ConditionFailed}
	if tx.Latest != nil || tx.Check != nil {
		failed, old := left.next()
		reply.LatestFailed = failed
		if failed && old != nil {
			latest, err := item.Latest(old)
			if err != nil {
				return ingest.StoreResult{Result: storage.Unknown}, fmt.Errorf("append to %s: %w", t.name, err)
			}
			reply.Latest = &latest
		}
	}
	if tx.PurgeLock != nil {
		reply.PurgeLockFailed, _ = left.next()
	}
	reply.Stored = make([]*model.Event, 0, len(tx.Puts)+len(tx.Absent))
	for _, identity := range identities(tx) {
		var found *model.Event
		if failed, old := left.next(); failed {
			found = storedEvent(old, identity)
		}
		reply.Stored = append(reply.Stored, found)
	}
	return reply, nil
}

// identities returns those of the puts, of the absent events, and of the merge.
func identities(tx *ingest.AppendTransaction) []model.EventKey {
	out := make([]model.EventKey, 0, len(tx.Puts)+len(tx.Absent))
	for i := range tx.Puts {
		out = append(out, tx.Puts[i].Key())
	}
	out = append(out, tx.Absent...)
	if tx.Merge != nil {
		out = append(out, tx.Merge.Event.Key())
	}
	return out
}

// storedEvent returns the event that a put found under its identity. A reason without the
// item still means that there is an event, which is returned as unreadable.
func storedEvent(old item.Item, identity model.EventKey) *model.Event {
	event, err := item.Event(old)
	if err != nil {
		event = model.Event{Series: identity.Series, Order: identity.Order, Unreadable: true}
	}
	return &event
}
