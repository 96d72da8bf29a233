package latest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Store stores latest items and events. Each method is one request.
type Store interface {
	storage.EventReader
	// GetItem reads one item, strongly consistent; nil if there is none.
	GetItem(ctx context.Context, k keys.Key) (item.Item, error)
	// Update changes the attributes that an action names, on its precondition.
	Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error)
	// PurgeLocked reports whether a subject has a purge lock, strongly consistent.
	PurgeLocked(ctx context.Context, subject model.Subject) (bool, error)
}
