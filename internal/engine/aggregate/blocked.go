package aggregate

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// BlockedStore stores the batches of the table stream that cannot be processed. Each method is one request.
// Implementations are safe for concurrent use.
type BlockedStore interface {
	// PutBlocked stores a blocked batch; an equal one is replaced.
	PutBlocked(ctx context.Context, b storage.Blocked) (storage.WriteResult, error)
	// HasBlocked reports whether a blocked batch is stored, strongly consistent.
	HasBlocked(ctx context.Context, seq string) (bool, error)
	// DeleteBlocked deletes a blocked batch, if it is stored.
	DeleteBlocked(ctx context.Context, seq string) (storage.WriteResult, error)
}

// BlockedBatches records which batches fail for longer than a moment: readers name them. A failed batch is
// delivered again from its first record that failed, to any process, so this record identifies it. A batch
// that Lambda gives up stays recorded until its range is redriven. It is safe for concurrent use.
type BlockedBatches struct {
	Store BlockedStore
	Now   func() model.Time
}

// A batch is recorded once its first failed record is older than blockedAfter: most failures are over by
// then. A processed batch that begins with a record older than lookAfter may be a recorded one; lookAfter is
// shorter, because the clocks of two processes differ.
const (
	blockedAfter = time.Minute
	lookAfter    = blockedAfter / 2
)

// Failed records a batch from its first record that failed on.
func (b *BlockedBatches) Failed(ctx context.Context, batch storage.Blocked) error {
	if b.Now().Sub(batch.From) < blockedAfter {
		return nil
	}
	if _, err := b.Store.PutBlocked(ctx, batch); err != nil {
		return fmt.Errorf("store the blocked batch %s: %w", batch.Seq, err)
	}
	return nil
}

// Processed removes what is recorded of a batch that was processed, by the sequence number and the time of
// its first record. A batch that does not lag costs no request.
func (b *BlockedBatches) Processed(ctx context.Context, seq string, at model.Time) error {
	if b.Now().Sub(at) < lookAfter {
		return nil
	}
	found, err := b.Store.HasBlocked(ctx, seq)
	if err == nil && found {
		_, err = b.Store.DeleteBlocked(ctx, seq)
	}
	if err != nil {
		return fmt.Errorf("remove the blocked batch %s: %w", seq, err)
	}
	return nil
}
