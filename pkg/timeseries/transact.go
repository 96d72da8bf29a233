package timeseries

import (
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Composed is an append that is ready to be part of a caller's own transaction.
type Composed[T any] struct {
	// Transaction holds the writes of the append and their conditions. Pass it to
	// dynamo.Table.TransactItems and TransactResult.
	Transaction Transaction
	events      *Events[T]
}

// TransactItems prepares an append that is sent in one transaction with the caller's own
// items:
//
//	append, err := readings.TransactItems(r)
//	items, err := table.TransactItems(append.Transaction)
//	_, failure := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
//		TransactItems: slices.Concat(items, mine),
//	})
//	stored, err := table.TransactResult(append.Transaction, 0, failure)
//	result, err := append.Result(stored)
//
// It sends no request. The append takes three of the 100 items of a transaction; two if the
// kind stores no latest item. A value older than the latest item makes the transaction fail,
// so its outcome is model.Stale even if the kind keeps late events. The error is ErrRejected
// if the value fails validation.
func (e *Events[T]) TransactItems(v T, opts ...AppendOption) (Composed[T], error) {
	condition, err := e.condition(opts)
	if err != nil {
		return Composed[T]{}, err
	}
	observation, problems := e.observation(&v)
	if len(problems) > 0 {
		return Composed[T]{}, model.FieldErrors(problems)
	}
	tx, problems, err := e.ingest.Compose(e.kind, observation, condition)
	switch {
	case err != nil:
		return Composed[T]{}, err
	case len(problems) > 0:
		return Composed[T]{}, model.FieldErrors(problems)
	}
	return Composed[T]{Transaction: tx, events: e}, nil
}

// Result returns the result of the append from what the table stored of it. The outcome is
// Conflict if the append's own condition failed, and if none of its conditions failed, so
// that one of the caller's items did. The error wraps ErrUndecided if the transaction was
// throttled, in conflict or lost; then sending the same transaction again is safe.
func (c Composed[T]) Result(stored StoreResult) (Result[T], error) {
	result := c.events.result(ingest.ComposedResult(&c.Transaction, stored), stored.Undecided())
	return result, result.Err
}
