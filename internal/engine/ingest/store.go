package ingest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store writes events. Each method sends one request with its conditions and returns what the server said. An
// error is permanent: the request is malformed, a permission is missing, or the context ended before anything
// was sent. Implementations are safe for concurrent use.
type Store interface {
	// Append sends one transaction: all of it is stored, or nothing.
	Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error)
	// Put stores one event without the latest item, in one write unit. If the condition fails, Stored[0] of
	// the result is the event that already has the identity, with its Attempt.
	Put(ctx context.Context, event model.Event) (storage.StoreResult, error)
}

// QuarantineStore stores payloads that an asynchronous source rejected. Storing the same
// ID again changes nothing.
type QuarantineStore interface {
	Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error)
}
