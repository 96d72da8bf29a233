package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AdvanceProgress stores stream progress on condition that none is stored, or progress
// before at and not before floor. If the condition fails, it returns the stored progress.
func (t *Table) AdvanceProgress(ctx context.Context, at, floor model.Time) (_ storage.WriteResult, stored model.Time, _ error) {
	behind := func(old item.Item) bool {
		progress := old[tablekeys.AttrAt].S
		return old == nil || progress < at.String() && progress >= floor.String()
	}
	it := item.FromStreamProgress(at)
	result, old, err := t.writeOne(ctx, "advance stream progress", action{key: it.Key(), condition: behind, change: replaceWith(it)})
	if err != nil || result != storage.ConditionFailed {
		return result, 0, err
	}
	stored, err = item.StreamProgress(old)
	return result, stored, err
}

// PutGap stores a gap on condition that no gap with this start is stored. If one is, the
// result is Written.
func (t *Table) PutGap(ctx context.Context, gap entity.Gap) (storage.WriteResult, error) {
	it := item.FromGap(gap)
	result, _, err := t.writeOne(ctx, "put gap", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}
