// Package storetest has what every table must be: the interfaces here, and the contract in the
// tests, which package memory and package dynamo both pass. FaultyStore adds faults to a table,
// so that the packages above can be tested against throttling, conflicts and lost responses.
package storetest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// Store combines the interfaces that append, aggregate, query, lifecycle and alerts need of a table.
type Store interface {
	ingest.EditStore
	ingest.QuarantineStore
	ingest.RotatingSecretStore
	aggregate.Store
	query.Store
	lifecycle.Store
	lifecycle.Eraser
	alert.Store
	ingest.PurgeLocks
	tableconfig.Store
}

// Table is a Store with the methods that repairs, exports and tests need.
type Table interface {
	Store
	aggregate.HeartbeatStore
	aggregate.InvalidationStore
	aggregate.SeriesStore
	tableconfig.QueueStore
	// DeleteGap deletes a gap, unless it has grown since it was read.
	DeleteGap(ctx context.Context, gap storage.Gap) (storage.WriteResult, error)
	aggregate.BlockedStore
	// StreamState reads what is stored about the table stream.
	StreamState(ctx context.Context) (storage.StreamState, error)
	// PutItem stores an item, replacing any other under its key.
	PutItem(ctx context.Context, it item.Item) error
	// UpdateItem sets attributes and keeps all others.
	UpdateItem(ctx context.Context, set item.Item) error
	// DeleteItem removes an item, if there is one.
	DeleteItem(ctx context.Context, k keys.Key) error
	// Scan reads one page of all items after a position. The zero Key is the start and, as next, the end.
	Scan(ctx context.Context, after keys.Key) (page []item.Item, next keys.Key, err error)
	// ScanPage is Scan of at most limit items; no item needs to have the key of the position.
	ScanPage(ctx context.Context, after keys.Key, limit int) (page []item.Item, next keys.Key, err error)
	// Partition is Scan of one partition key, in order of the sort keys.
	Partition(ctx context.Context, pk string, after keys.Key) (page []item.Item, next keys.Key, err error)
}
