// Package query reads what is stored: latest items, events, rollups, charts, totals and
// profiles. It hides items that have expired but that TTL has not removed yet; the
// packages that write never hide them.
//
// Each access pattern is one method of Service and costs one Get, or one Query for each
// page and shard. Patterns with long results also have an iterator. Rollups of several
// series are merged from their summaries, never from averages. A model.ReadMeter in the
// context adds up what the reads cost.
package query

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Store is the table as this package reads it. Each method is one request and returns
// expired items too. Implementations are safe for concurrent use.
type Store interface {
	// Latest reads the latest item of a series; nil if there is none.
	Latest(ctx context.Context, series model.Series, consistent bool) (*model.Latest, error)
	// Events reads one page of a series' events.
	Events(ctx context.Context, r storage.Range) (storage.EventPage, error)
	// Rows reads one page of the rows of a unit whose buckets start in the range.
	Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error)
	// QueryIndex reads one page of the events, of all subjects, whose indexed field has a
	// value. It is never strongly consistent.
	QueryIndex(ctx context.Context, r storage.EventIndexQuery) (storage.EventIndexPage, error)
	// LatestBy reads one page of an index of latest items, of all subjects. It is never
	// strongly consistent.
	LatestBy(ctx context.Context, r storage.LatestIndexQuery) (storage.LatestPage, error)
	// List reads one page of a partition, strongly consistent.
	List(ctx context.Context, l table.ListRequest) (table.ListPage, error)
	// Profile reads a subject's profile; nil if there is none.
	Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error)
}
