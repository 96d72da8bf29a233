package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Store is the part of the table that the lifecycle of subjects needs. Each method is one request. A write
// returns what the server said about it; its error is one that a retry cannot fix. A read returns an error
// for every failure, including transient ones. Implementations are safe for concurrent use.
type Store interface {
	Reader
	// Commit sends one transaction: all of it is stored, or nothing.
	Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error)
}

// Reader is the part of a Store that reads. A Service that is only read from needs no more.
type Reader interface {
	// GetItem reads one item, strongly consistent; it returns nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// List reads one page of a partition, strongly consistent, or of an index partition,
	// eventually consistent.
	List(ctx context.Context, l itemop.ListRequest) (itemop.ListPage, error)
}

// Eraser removes items of purged subjects, without preconditions.
type Eraser interface {
	// Erase removes at most itemop.MaxBatchWrites items by one request. An item that does not exist is
	// not an error. left are the items that the server did not process.
	Erase(ctx context.Context, items []keys.Key) (left []keys.Key, result storage.WriteResult, err error)
}

// retrier commits transactions, with retries.
type retrier struct{ retry.Retrier }

func (s *Service) retrier() retrier {
	return retrier{retry.Retrier{Policy: s.RetryPolicy, Rand: s.random(), Sleep: s.Sleep}}
}

// commit sends a transaction with a new token until the table writes it or a precondition fails.
func (w retrier) commit(ctx context.Context, store Store,
	actions []itemop.Action) (itemop.TransactResult, error) {
	if len(actions) > itemop.MaxItems {
		return itemop.TransactResult{}, fmt.Errorf("%w: %d", ErrTooManyItems, len(actions))
	}
	token, err := ids.Token(w.Rand)
	if err != nil {
		return itemop.TransactResult{}, err
	}
	tx := itemop.Transaction{Token: token, Actions: actions}
	var got itemop.TransactResult
	_, err = w.Do(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		got, err = store.Commit(ctx, tx)
		return got.Result, err
	})
	return got, retry.WithCause(err, got.Cause)
}
