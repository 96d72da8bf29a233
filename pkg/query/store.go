// Package query is the way out: current, history and rollups, as anybody may read
// them. It alone hides what has expired but not yet been swept; the writing side
// never does.
package query

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Store is the table as readers see it. Each method is one request, expired items
// included. Implementations are safe for concurrent use.
type Store interface {
	// Current reads a series' current; nil where there is none.
	Current(ctx context.Context, series model.Series, consistent bool) (*model.Current, error)
	// Events reads one page of a series' events.
	Events(ctx context.Context, r model.Range) (model.EventPage, error)
	// Rows reads one page of a series' rows of a unit whose buckets start in the range.
	Rows(ctx context.Context, unit tier.Unit, r model.Range) (rollup.RowPage, error)
	// ByValue reads one page of the events that have a value of the field their kind is
	// indexed by, over all subjects; never strongly consistent.
	ByValue(ctx context.Context, r model.ByValue) (model.IndexPage, error)
	// Profile reads a subject's profile; nil where there is none.
	Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error)
}
