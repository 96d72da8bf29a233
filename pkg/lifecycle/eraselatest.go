package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// erasedAtOnce is how many deleted events a fold of the latest item is for.
const erasedAtOnce = 200

// follower makes the latest item of a series follow the deletion of events. The table stream does it too, but
// may be behind: the item would keep the fields of events that were deleted.
type follower struct {
	folder  *latest.Folder
	kind    *catalog.Kind // nil: the series has no latest item, or nothing is known of its kind
	series  model.Series
	changes []storage.Change
}

func (p *Purger) follower(s EventSelection) *follower {
	f := &follower{series: s.Series}
	if s.Latest == nil {
		return f
	}
	if kind := s.kind(); kind != nil && kind.HasLatest() {
		f.kind = kind
	}
	f.folder = &latest.Folder{
		Store: s.Latest, Now: p.now, Retrier: p.retrier().Retrier,
		NewRev: func() (rollup.Rev, error) { return ids.Nonce(p.random()) },
	}
	return f
}

// erased takes an event that was deleted.
func (f *follower) erased(ctx context.Context, e *model.Event) error {
	if f.kind == nil {
		return nil
	}
	f.changes = append(f.changes, storage.Change{Type: storage.Deleted, Key: e.Key(), Before: e})
	if len(f.changes) < erasedAtOnce {
		return nil
	}
	return f.fold(ctx)
}

// fold folds the latest item for the events that were deleted since the last fold. It is written even if it
// stays the same: another fold may have read these events before.
func (f *follower) fold(ctx context.Context) error {
	if len(f.changes) == 0 {
		return nil
	}
	if _, err := f.folder.Fold(ctx, f.kind, f.series, f.changes, true); err != nil {
		return fmt.Errorf("the events are deleted, and the latest item follows with the table stream: %w",
			err)
	}
	f.changes = f.changes[:0]
	return nil
}
