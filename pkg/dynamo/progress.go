package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AdvanceProgress sends one PutItem on condition that no progress is stored, or progress
// before at and not before floor. If the condition fails, it returns the stored progress.
func (t *Table) AdvanceProgress(ctx context.Context, at, floor model.Time) (_ storage.WriteResult, stored model.Time, _ error) {
	x := newExpression()
	attr := x.name(tablekeys.AttrAt)
	condition := x.absent() + " OR (" + attr + " < " + x.text(at.String()) + " AND " + attr + " >= " + x.text(floor.String()) + ")"
	result, old, err := t.putItem(ctx, "advance stream progress in", item.FromStreamProgress(at), x, condition)
	if err != nil || result != storage.ConditionFailed {
		return result, 0, err
	}
	stored, err = item.StreamProgress(old)
	return result, stored, err
}

// PutGap sends one PutItem on condition that no gap with this start is stored. If one is,
// the result is Written.
func (t *Table) PutGap(ctx context.Context, gap entity.Gap) (storage.WriteResult, error) {
	x := newExpression()
	result, _, err := t.putItem(ctx, "put gap into", item.FromGap(gap), x, x.absent())
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}
