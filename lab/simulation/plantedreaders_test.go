package simulation

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// futureMarks are low watermarks of a day later.
type futureMarks struct{ query.LowWatermarks }

func (f futureMarks) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	all, err := f.LowWatermarks.Sweeps(ctx)
	later := storage.LowWatermarks{Generations: all.Generations, Through: map[storage.QueueShard]model.Time{}}
	for shard, at := range all.Through {
		later.Through[shard] = at.Add(24 * time.Hour)
	}
	return later, err
}

// newestMarks are the low watermarks of the newest generation alone.
type newestMarks struct{ query.LowWatermarks }

func (n newestMarks) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	all, err := n.LowWatermarks.Sweeps(ctx)
	if err == nil {
		all.Generations = storage.Generations{all.Generations.Newest()}
	}
	return all, err
}

// inconsistentReader asks for no consistency.
type inconsistentReader struct{ query.Store }

func (i inconsistentReader) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	r.Consistent = false
	return i.Store.Events(ctx, r)
}

func (i inconsistentReader) Rows(ctx context.Context, unit tier.Unit,
	r storage.Range) (rollup.RowPage, error) {
	r.Consistent = false
	return i.Store.Rows(ctx, unit, r)
}
