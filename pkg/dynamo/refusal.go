package dynamo

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reasons are a cancelled transaction's, read one by one in the order of its actions.
type reasons []types.CancellationReason

// next takes the reason of the next action: whether its condition failed, and the
// item it failed on.
func (r *reasons) next() (failed bool, old item.Item) {
	if len(*r) == 0 {
		return false, nil
	}
	reason := (*r)[0]
	*r = (*r)[1:]
	return codeOf(reason) == conditionFailed, itemOf(reason.Item)
}

// refusal is the reply to a transaction of which a condition failed.
func (t *Table) refusal(tx *ingest.Transaction, cause error) (ingest.Reply, error) {
	var cancelled *types.TransactionCanceledException
	errors.As(cause, &cancelled) // translate answers Refused for no other failure of a transaction
	left := reasons(cancelled.CancellationReasons)
	reply := ingest.Reply{Answer: model.Refused}
	if tx.Current != nil || tx.Check != nil {
		failed, old := left.next()
		reply.CurrentFailed = failed
		if failed && old != nil {
			current, err := item.Current(old)
			if err != nil {
				return ingest.Reply{Answer: model.Uncertain}, fmt.Errorf("append to %s: %w", t.name, err)
			}
			reply.Current = &current
		}
	}
	if tx.Gate != nil {
		reply.GateFailed, _ = left.next()
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

// identities are those of the puts, then of the absents.
func identities(tx *ingest.Transaction) []model.EventKey {
	out := make([]model.EventKey, 0, len(tx.Puts)+len(tx.Absent))
	for i := range tx.Puts {
		out = append(out, tx.Puts[i].Key())
	}
	return append(out, tx.Absent...)
}

// storedEvent is the event that was found under an identity. An answer that leaves
// the item out still says that something is there: an event that cannot be read.
func storedEvent(old item.Item, identity model.EventKey) *model.Event {
	event, err := item.Event(old)
	if err != nil {
		event = model.Event{Series: identity.Series, Order: identity.Order, Unreadable: true}
	}
	return &event
}
