package memory

import (
	"bytes"
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Put stores one event on condition that its identity is not stored.
func (t *Table) Put(ctx context.Context, event model.Event) (ingest.Reply, error) {
	it := item.FromEvent(&event)
	answer, old, err := t.one(ctx, "put event", action{key: it.Key(), holds: free, become: whole(it)})
	reply := ingest.Reply{Answer: answer}
	if answer == model.Refused {
		reply.Stored = []*model.Event{storedEvent(old)}
	}
	return reply, err
}

// Quarantine keeps q on condition that its ID is not kept yet. A repeat finds what
// it asks for and is answered Written.
func (t *Table) Quarantine(ctx context.Context, q model.Quarantined) (model.Answer, error) {
	it := item.FromQuarantined(&q)
	answer, _, err := t.one(ctx, "quarantine", action{key: it.Key(), holds: free, become: whole(it)})
	if answer == model.Refused {
		return model.Written, nil
	}
	return answer, err
}

// PutRow replaces the whole item, on condition that the stored rev is prev, or that
// there is no item.
func (t *Table) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (model.Answer, error) {
	it, err := item.FromRow(row)
	if err != nil {
		return model.Uncertain, err
	}
	unchanged := func(old item.Item) bool {
		if prev == (rollup.Rev{}) {
			return old == nil
		}
		rev := old[keys.AttrRev]
		return rev.Type == item.B && bytes.Equal(rev.B, prev[:])
	}
	answer, _, err := t.one(ctx, "put rollup", action{key: it.Key(), holds: unchanged, become: whole(it)})
	return answer, err
}

// one carries out a write of one item. old is the item on which the condition
// failed, where the answer is Refused.
func (t *Table) one(ctx context.Context, operation string, a action) (_ model.Answer, old item.Item, _ error) {
	if err := alive(ctx, operation); err != nil {
		return model.Uncertain, nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	met, err := t.write([]action{a})
	switch {
	case err != nil:
		return model.Uncertain, nil, fmt.Errorf("%s: %w", operation, err)
	case met != nil:
		return model.Refused, met[0].old, nil
	default:
		return model.Written, nil, nil
	}
}
