package dynamo

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// TransactItems returns the items of an append for the caller's own TransactWriteItems: at
// most three, in an order that TransactResult expects. They must stay together, at any
// position. The caller's other items may write to any table of the account and Region.
func (t *Table) TransactItems(tx ingest.AppendTransaction) ([]types.TransactWriteItem, error) {
	items, err := t.actions(&tx)
	if err != nil {
		return nil, fmt.Errorf("compose an append to %s: %w", t.name, err)
	}
	return items, nil
}

// TransactResult returns the result of an append whose items start at position at in the
// caller's transaction. failure is the error of TransactWriteItems, nil on success. The
// error is permanent.
func (t *Table) TransactResult(tx ingest.AppendTransaction, at int, failure error) (ingest.StoreResult, error) {
	result, err := t.translate("append in a transaction to", failure)
	if err != nil || result != storage.ConditionFailed {
		return ingest.StoreResult{Result: result, Cause: failure}, err
	}
	var cancelled *types.TransactionCanceledException
	if !errors.As(failure, &cancelled) || at < 0 || at > len(cancelled.CancellationReasons) {
		return ingest.StoreResult{Result: storage.Unknown}, fmt.Errorf("append in a transaction to %s: the transaction has no item %d: pass the position of the first item of TransactItems", t.name, at)
	}
	own := *cancelled
	own.CancellationReasons = cancelled.CancellationReasons[at:]
	return t.failedAppend(&tx, &own)
}
