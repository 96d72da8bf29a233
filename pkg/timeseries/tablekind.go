package timeseries

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/tableconfig"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrTableConfig reports that the kind does not fit the configuration that the table was written under, for
// example because it has another number of shards. The error names the difference. Nothing was written.
var ErrTableConfig = tableconfig.ErrRefused

// tableKind is the kind with the retention of the table.
type tableKind struct {
	mu     sync.Mutex
	kind   *catalog.Kind // nil until it is read; guarded by mu
	readAt model.Time    // guarded by mu
}

// kindOfTable returns the kind to write and to read rollups with. It is compared with the
// table's configuration before the first use, and again now and then. The error wraps
// ErrTableConfig, or ErrUndecided if the table cannot be read: a configuration that was read
// before is used for a while, but not as long as other processes wait for all to know a change.
func (e *Events[T]) kindOfTable(ctx context.Context) (*catalog.Kind, error) {
	reader, ok := e.changes.(tableconfig.Reader)
	if !ok {
		return e.kind, nil
	}
	t, now := &e.table, e.ingest.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kind != nil && now >= t.readAt && now.Sub(t.readAt) < tableconfig.MaxAge {
		return t.kind, nil
	}
	kinds, err := catalog.New(append([]catalog.Kind{*e.kind}, e.sources...)...)
	if err == nil {
		err = tableconfig.Load(ctx, reader, kinds, now)
	}
	switch {
	case errors.Is(err, ErrTableConfig):
		return nil, err
	case err != nil && t.kind != nil && now >= t.readAt && now.Sub(t.readAt) < tableconfig.Lead/2:
		return t.kind, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUndecided, err)
	}
	t.kind, t.readAt = &kinds.Kinds[0], now
	return t.kind, nil
}

// kindToRead returns the kind if that is its name; see query.Live.
func (e *Events[T]) kindToRead(ctx context.Context, name string) (*catalog.Kind, error) {
	if name != e.kind.Name {
		return nil, nil
	}
	return e.kindOfTable(ctx)
}
