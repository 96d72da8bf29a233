package simulation

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// futureMarks are low watermarks of a day later.
type futureMarks struct{ query.LowWatermarks }

func (f futureMarks) Sweeps(ctx context.Context) (entity.LowWatermarks, error) {
	all, err := f.LowWatermarks.Sweeps(ctx)
	later := entity.LowWatermarks{}
	for shard, at := range all {
		later[shard] = at.Add(24 * time.Hour)
	}
	return later, err
}

// inconsistentReader asks for no consistency.
type inconsistentReader struct{ query.Store }

func (i inconsistentReader) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	r.Consistent = false
	return i.Store.Events(ctx, r)
}

func (i inconsistentReader) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	r.Consistent = false
	return i.Store.Rows(ctx, unit, r)
}
