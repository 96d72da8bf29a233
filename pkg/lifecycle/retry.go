package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/ids"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
)

// retrier commits transactions, with retries.
type retrier struct{ retry.Retrier }

func (s *Service) retrier() retrier {
	return retrier{retry.Retrier{Policy: s.RetryPolicy, Rand: s.random(), Sleep: s.Sleep}}
}

// commit sends a transaction with a new token until the table writes it or a precondition
// fails.
func (w retrier) commit(ctx context.Context, store Store, actions []table.Action) (table.TransactResult, error) {
	if len(actions) > table.MaxItems {
		return table.TransactResult{}, fmt.Errorf("%w: %d", ErrTooManyItems, len(actions))
	}
	token, err := ids.Token(w.Rand)
	if err != nil {
		return table.TransactResult{}, err
	}
	tx := table.Transaction{Token: token, Actions: actions}
	var got table.TransactResult
	_, err = w.Do(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		got, err = store.Commit(ctx, tx)
		return got.Result, err
	})
	return got, retry.WithCause(err, got.Cause)
}
