package timeseries

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrRejected is the error of a value that admission would reject: it names the fields.
var ErrRejected = errors.New("the value is rejected")

// Composed is an append made ready to be part of a caller's own transaction.
type Composed[T any] struct {
	// Transaction is what the append writes and on which conditions. A table makes
	// items of it: dynamo.Table.TransactItems.
	Transaction ingest.Transaction
	events      *Events[T]
}

// TransactItems makes an append ready to be sent with items of the caller's own, all or
// nothing:
//
//	append, err := readings.TransactItems(r)
//	items, err := table.TransactItems(append.Transaction)
//	_, failure := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
//		TransactItems: slices.Concat(items, mine),
//	})
//	reply, err := table.TransactReply(append.Transaction, 0, failure)
//	out, err := append.Outcome(reply)
//
// It sends nothing and reads nothing. It takes three of a transaction's hundred items,
// two of a kind without current. A value older than current makes the whole fail, so
// its verdict is model.Stale whatever the kind's policy. The error is ErrRejected where
// admission would reject the value.
func (e *Events[T]) TransactItems(v T, opts ...AppendOption) (Composed[T], error) {
	where, err := e.appending(opts)
	if err != nil {
		return Composed[T]{}, err
	}
	draft, wrong := e.draft(&v)
	if len(wrong) > 0 {
		return Composed[T]{}, rejected(wrong)
	}
	tx, wrong, err := e.in.Compose(e.kind, draft, where)
	switch {
	case err != nil:
		return Composed[T]{}, err
	case len(wrong) > 0:
		return Composed[T]{}, rejected(wrong)
	}
	return Composed[T]{Transaction: tx, events: e}, nil
}

// Outcome is the verdict on the append by what the table said of it: Conflict where
// its own condition failed, and where nothing of the append did, so that it was an item
// of the caller's; Unknown where the transaction was throttled, in conflict or lost,
// and sending all of it again is safe.
func (c Composed[T]) Outcome(reply ingest.Reply) (Outcome[T], error) {
	return c.events.outcome(ingest.Judge(&c.Transaction, reply))
}

func rejected(wrong []model.FieldError) error {
	all := []error{ErrRejected}
	for _, w := range wrong {
		all = append(all, w)
	}
	return fmt.Errorf("append: %w", errors.Join(all...))
}
