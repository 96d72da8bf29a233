package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Advance moves the watermark on condition that none stands, or one that is before at
// and not before floor.
func (t *Table) Advance(ctx context.Context, at, floor model.Time) (_ model.Answer, stands model.Time, _ error) {
	behind := func(old item.Item) bool {
		stood := old[keys.AttrAt].S
		return old == nil || stood < at.String() && stood >= floor.String()
	}
	it := item.FromWatermark(at)
	answer, old, err := t.one(ctx, "move the watermark", action{key: it.Key(), holds: behind, become: whole(it)})
	if err != nil || answer != model.Refused {
		return answer, 0, err
	}
	stands, err = item.Watermark(old)
	return answer, stands, err
}

// KeepGap keeps a gap on condition that none is kept that begins there.
func (t *Table) KeepGap(ctx context.Context, gap model.Gap) (model.Answer, error) {
	it := item.FromGap(gap)
	answer, _, err := t.one(ctx, "keep a gap", action{key: it.Key(), holds: free, become: whole(it)})
	if answer == model.Refused {
		return model.Written, nil
	}
	return answer, err
}
