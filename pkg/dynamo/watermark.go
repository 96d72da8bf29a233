package dynamo

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Advance sends one PutItem on condition that no watermark stands, or one that is
// before at and not before floor.
func (t *Table) Advance(ctx context.Context, at, floor model.Time) (_ model.Answer, stands model.Time, _ error) {
	x := newExpression()
	stood := x.name(keys.AttrAt)
	condition := x.free() + " OR (" + stood + " < " + x.text(at.String()) + " AND " + stood + " >= " + x.text(floor.String()) + ")"
	answer, old, err := t.putItem(ctx, "move the watermark in", item.FromWatermark(at), x, condition)
	if err != nil || answer != model.Refused {
		return answer, 0, err
	}
	stands, err = item.Watermark(old)
	return answer, stands, err
}

// KeepGap sends one PutItem on condition that no gap is kept that begins there.
func (t *Table) KeepGap(ctx context.Context, gap model.Gap) (model.Answer, error) {
	x := newExpression()
	answer, _, err := t.putItem(ctx, "keep a gap in", item.FromGap(gap), x, x.free())
	if answer == model.Refused {
		return model.Written, nil
	}
	return answer, err
}
