package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
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

// KindConfig sends one consistent GetItem for the configuration of a kind that the table
// was written under; nil if none was applied.
func (t *Table) KindConfig(ctx context.Context, kind string) (*entity.KindConfig, error) {
	it, err := t.GetItem(ctx, tablekeys.KindConfig(kind))
	return table.Decode(it, err, item.KindConfig)
}

// PutKindConfig sends one PutItem on condition that the stored revision is prev; the zero
// prev requires that none is stored.
func (t *Table) PutKindConfig(ctx context.Context, c entity.KindConfig, prev [16]byte) (storage.WriteResult, error) {
	x := newExpression()
	var condition string
	if prev == ([16]byte{}) {
		condition = x.absent()
	} else {
		condition = x.name(tablekeys.AttrRev) + " = " + x.value(item.Value{Type: item.B, B: prev[:]})
	}
	result, _, err := t.putItem(ctx, "put the configuration into", item.FromKindConfig(&c), x, condition)
	return result, err
}

// PutRotatingSecret sends one PutItem on condition that the day has no secret yet.
// ConditionFailed comes with the stored secret, so that no read is needed.
func (t *Table) PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error) {
	x := newExpression()
	result, old, err := t.putItem(ctx, "put rotating secret into", item.FromRotatingSecret(&s), x, x.absent())
	if result != storage.ConditionFailed {
		return result, entity.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(old)
	return result, stored, err
}
