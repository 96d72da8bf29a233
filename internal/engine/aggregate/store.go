package aggregate

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Store is the table as recomputations use it. Each method is one request. Reads return expired items too; an
// error of a read may be transient. A row that cannot be decoded, or that a newer version wrote, is returned
// with its key, revision, V and expiry but without Summary, and not as an error, so that it does not hide the
// rest of its page. Implementations are safe for concurrent use.
type Store interface {
	// Row reads one row, strongly consistent; nil where there is none.
	Row(ctx context.Context, key rollup.Key) (*rollup.Row, error)
	// Events reads one page of a series' events.
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	// Rows reads one page of a series' rows of a unit whose buckets start in the range.
	Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error)
	// PutRow writes the complete row, on condition that the stored row's revision is prev (the zero Rev: that
	// there is no row). row.Rev is the new nonce. It returns an error only for what a retry cannot repair.
	PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error)
}

// RowReader is an optional interface of a Store that reads many rows by one request.
type RowReader interface {
	// ReadRows reads up to itemop.MaxBatchReads rows, each strongly consistent. The result has a
	// key for each row that was read, with nil where there is no row. It has no key for a
	// row that the table did not return in this request.
	ReadRows(ctx context.Context, keys []rollup.Key) (map[rollup.Key]*rollup.Row, error)
}

// QuarantineStore stores records that cannot be processed. A record whose ID is stored
// already changes nothing.
type QuarantineStore interface {
	Quarantine(ctx context.Context, q storage.Quarantined) (storage.WriteResult, error)
}

// InvalidationStore stores the queue of buckets that changed while they were open. Each
// method is one request. A write returns an error only for what a retry cannot repair;
// implementations are safe for concurrent use.
type InvalidationStore interface {
	queue.Store
	// Invalidations reads one page of the invalidations of a queue shard that are due up to a time, included,
	// in order of their due times, strongly consistent. after is "" or Next of the page before.
	Invalidations(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time,
		after string) (storage.InvalidationPage, error)
	// DeleteInvalidations deletes up to itemop.MaxBatchWrites different invalidations, those that are
	// stored. If the result is Written, left are those that the table did not process. Otherwise any may be
	// deleted.
	DeleteInvalidations(
		ctx context.Context, these []storage.Invalidation,
	) (left []storage.Invalidation, result storage.WriteResult, err error)
	// AdvanceSweep stores the low watermark of a queue shard, on condition that none is
	// stored, or an earlier one.
	AdvanceSweep(ctx context.Context, shard storage.QueueShard, through model.Time) (storage.WriteResult, error)
	LowWatermarkStore
}

// LowWatermarkStore reads how far invalidations have been worked off.
type LowWatermarkStore interface {
	// Sweeps reads the low watermarks of all queue shards, by one request.
	Sweeps(ctx context.Context) (storage.LowWatermarks, error)
}
