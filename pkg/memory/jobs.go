package memory

import (
	"bytes"
	"context"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
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

// KindConfig reads the configuration of a kind that the table was written under; nil if
// none was applied.
func (t *Table) KindConfig(ctx context.Context, kind string) (*entity.KindConfig, error) {
	it, err := t.read(ctx, "read the configuration", tablekeys.KindConfig(kind), true)
	return table.Decode(it, err, item.KindConfig)
}

// PutKindConfig stores c on condition that the stored revision is prev; the zero prev
// requires that none is stored.
func (t *Table) PutKindConfig(ctx context.Context, c entity.KindConfig, prev [16]byte) (storage.WriteResult, error) {
	it := item.FromKindConfig(&c)
	result, _, err := t.writeOne(ctx, "put the configuration", action{key: it.Key(), change: replaceWith(it), condition: func(old item.Item) bool {
		if prev == ([16]byte{}) {
			return old == nil
		}
		return bytes.Equal(old[tablekeys.AttrRev].B, prev[:])
	}})
	return result, err
}

// PutRotatingSecret stores a day's secret on condition that the day has none yet. When the
// condition fails, it returns the stored secret.
func (t *Table) PutRotatingSecret(ctx context.Context, s entity.RotatingSecret) (storage.WriteResult, entity.RotatingSecret, error) {
	it := item.FromRotatingSecret(&s)
	result, old, err := t.writeOne(ctx, "put rotating secret", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result != storage.ConditionFailed {
		return result, entity.RotatingSecret{}, err
	}
	stored, err := item.RotatingSecret(old)
	return result, stored, err
}
