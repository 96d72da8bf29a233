package memory

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Put stores one event on condition that no event with this identity is stored.
func (t *Table) Put(ctx context.Context, event model.Event) (ingest.StoreResult, error) {
	it := item.FromEvent(&event)
	result, old, err := t.writeOne(ctx, "put event", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	reply := ingest.StoreResult{Result: result}
	if result == storage.ConditionFailed {
		reply.Stored = []*model.Event{storedEvent(old)}
		reply.Stored[0].Attempt = item.Attempt(old)
	}
	return reply, err
}

// Quarantine stores q on condition that its ID is not stored. If it is, the request is a
// repeat and the result is Written.
func (t *Table) Quarantine(ctx context.Context, q entity.Quarantined) (storage.WriteResult, error) {
	it := item.FromQuarantined(&q)
	result, _, err := t.writeOne(ctx, "quarantine", action{key: it.Key(), condition: absent, change: replaceWith(it)})
	if result == storage.ConditionFailed {
		return storage.Written, nil
	}
	return result, err
}

// PutRow replaces the complete row on condition that the stored revision is prev; for the
// zero Rev, that there is no row.
func (t *Table) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return storage.Unknown, err
	}
	unchanged := func(old item.Item) bool {
		if prev == (rollup.Rev{}) {
			return old == nil
		}
		rev := old[tablekeys.AttrRev]
		return rev.Type == item.B && bytes.Equal(rev.B, prev[:])
	}
	result, _, err := t.writeOne(ctx, "put rollup", action{key: it.Key(), condition: unchanged, change: replaceWith(it)})
	return result, err
}

// writeOne writes one item. old is the item on which the condition failed, if the result is
// ConditionFailed.
func (t *Table) writeOne(ctx context.Context, operation string, a action) (_ storage.WriteResult, old item.Item, _ error) {
	if err := checkContext(ctx, operation); err != nil {
		return storage.Unknown, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	failures, err := t.write([]action{a})
	switch {
	case err != nil:
		return storage.Unknown, nil, fmt.Errorf("%s: %w", operation, err)
	case failures != nil:
		return storage.ConditionFailed, failures[0].old, nil
	default:
		return storage.Written, nil, nil
	}
}
