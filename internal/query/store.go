// Package query is the way out: everything that can be read, as anybody may read it.
// It alone hides what has expired but not yet been swept; the writing side never does.
//
// Each access pattern is one method of Service, and one Get or one Query a page (and
// shard): Current, Currents by fields, History and its newest, Count, ByValue, Rollups
// of a tier, Chart of the tier that suits, Total and Top of a range, Profile. Those
// that may be long have an iterator beside the page. What is read together is merged
// from summaries, never from averages. What a reading cost is told by a model.Meter.
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
	// Currents reads one page of an index of currents, over all subjects; never strongly
	// consistent.
	Currents(ctx context.Context, r model.ByFields) (model.CurrentPage, error)
	// Profile reads a subject's profile; nil where there is none.
	Profile(ctx context.Context, subject model.Subject, consistent bool) (*model.Profile, error)
}
