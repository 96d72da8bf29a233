package dynamo

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// TransactItems are the items of an append for a TransactWriteItems of the caller's
// own: at most three, in an order that TransactReply knows. They may stand anywhere in
// it, together, and the caller's own may write to any table of the account and Region.
func (t *Table) TransactItems(tx ingest.Transaction) ([]types.TransactWriteItem, error) {
	items, err := t.actions(&tx)
	if err != nil {
		return nil, fmt.Errorf("compose an append to %s: %w", t.name, err)
	}
	return items, nil
}

// TransactReply is what the server said of an append whose items stood from place at
// on in the caller's transaction, and failure what its TransactWriteItems answered,
// nil where it was stored. The error is what no repeat can mend.
func (t *Table) TransactReply(tx ingest.Transaction, at int, failure error) (ingest.Reply, error) {
	answer, err := t.translate("append in a transaction to", failure)
	if err != nil || answer != model.Refused {
		return ingest.Reply{Answer: answer}, err
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(failure, &cancelled) || at < 0 || at > len(cancelled.CancellationReasons) {
		return ingest.Reply{Answer: model.Uncertain}, fmt.Errorf("append in a transaction to %s: the transaction has no item %d: give the place of the first of TransactItems", t.name, at)
	}
	own := *cancelled
	own.CancellationReasons = cancelled.CancellationReasons[at:]
	return t.refusal(&tx, &own)
}
