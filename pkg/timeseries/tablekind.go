package timeseries

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrTableConfig reports that the kind does not fit the configuration that the table was written under, for
// example because it has another number of shards, or because the table has no such kind. The error names the
// difference. Nothing was read or written.
var ErrTableConfig = tableconfig.ErrRefused

const (
	// refreshAge is the age from which on a configuration is read again while it is still used.
	refreshAge = tableconfig.MaxAge / 2
	// refreshPause is the least time between two such reads, so that a failing one is not repeated by each
	// call.
	refreshPause = 10 * time.Second
	// configTimeout ends a read of the configuration. Callers wait only as long as their contexts allow.
	configTimeout = 20 * time.Second
)

// tableKind is the kind with the retention of the table. All callers share one read of it.
type tableKind struct {
	mu      sync.Mutex     // never held during a request
	known   loadedKind     // guarded by mu
	reading *configReading // nil if none is under way; guarded by mu
	triedAt model.Time     // when the last read began; guarded by mu
}

// loadedKind is a kind and when it was read. The zero value is none.
type loadedKind struct {
	kind *catalog.Kind
	at   model.Time
}

// within reports whether the kind was read less than d before now.
func (l loadedKind) within(d time.Duration, now model.Time) bool {
	return l.kind != nil && now >= l.at && now.Sub(l.at) < d
}

// configReading is one read of the configuration. loaded and err are set before done is closed.
type configReading struct {
	done   chan struct{}
	loaded loadedKind
	err    error
}

// kindOfTable returns the kind to write and to read with. It is compared with the table's configuration
// before the first use, and again now and then, in the background while the one before may be used. ctx
// limits how long the caller waits. The error wraps ErrTableConfig or ErrPermanent, or ErrUndecided if the
// table could not be read now: a configuration that was read before is used for a while, but not as long as
// other processes wait for all to know a change.
func (e *Events[T]) kindOfTable(ctx context.Context) (*catalog.Kind, error) {
	reader, ok := e.editor.Store.(tableconfig.Reader)
	if !ok {
		return e.declared, nil
	}
	now := e.ingest.Now()
	known, reading := e.readConfig(ctx, reader, now)
	if reading == nil {
		return known.kind, nil
	}
	select {
	case <-reading.done:
	case <-ctx.Done():
		return nil, fmt.Errorf("read the table's configuration: %w: %w", ErrUndecided, ctx.Err())
	}
	switch err := reading.err; {
	case err == nil:
		return reading.loaded.kind, nil
	case errors.Is(err, ErrTableConfig):
		return nil, classified(err)
	case known.within(tableconfig.Lead/2, now):
		return known.kind, nil
	case errors.Is(err, ErrPermanent), errors.Is(err, ErrUndecided):
		return nil, err
	default:
		return nil, fmt.Errorf("%w: %w", ErrUndecided, err)
	}
}

// readConfig returns the kind that is known, and the read to wait for; nil if the known kind may be used.
func (e *Events[T]) readConfig(ctx context.Context, reader tableconfig.Reader,
	now model.Time) (loadedKind, *configReading) {
	t := &e.table
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.known.within(refreshAge, now):
		return t.known, nil
	case t.known.within(tableconfig.MaxAge, now):
		if now.Sub(t.triedAt) >= refreshPause {
			e.startReading(ctx, reader, now)
		}
		return t.known, nil
	}
	e.startReading(ctx, reader, now)
	return t.known, t.reading
}

// startReading starts a read unless one is under way. It outlives ctx, because other callers wait for it too.
// The caller holds the mutex.
func (e *Events[T]) startReading(ctx context.Context, reader tableconfig.Reader, now model.Time) {
	t := &e.table
	if t.reading != nil {
		return
	}
	reading := &configReading{done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), configTimeout) // panics here for a nil ctx
	t.reading, t.triedAt = reading, now
	go func() {
		defer cancel()
		kind, err := e.loadKind(ctx, reader, now)
		t.mu.Lock()
		defer t.mu.Unlock()
		reading.loaded, reading.err = loadedKind{kind: kind, at: now}, err
		if t.reading = nil; err == nil {
			t.known = reading.loaded
		}
		close(reading.done)
	}()
}

// loadKind reads the kind's configuration and compares it with the declared kind.
func (e *Events[T]) loadKind(ctx context.Context, reader tableconfig.Reader,
	now model.Time) (*catalog.Kind, error) {
	if err := e.checkKnown(ctx, reader); err != nil {
		return nil, err
	}
	declared := e.declared
	if e.members != nil {
		declared = e.members.declared
	}
	kinds, err := catalog.New(append([]catalog.Kind{*declared}, e.sources...)...)
	if err != nil {
		return nil, err
	}
	if err := tableconfig.Load(ctx, reader, kinds, now); err != nil {
		return nil, err
	}
	kind, _ := kinds.Kind(e.declared.Name) // it is of the same declaration
	return kind, nil
}

// checkKnown returns ErrTableConfig for a kind that the table does not know although it knows others: no
// function would keep its rollups and its list of series, and each read would find nothing.
func (e *Events[T]) checkKnown(ctx context.Context, reader tableconfig.Reader) error {
	if e.unmanaged {
		return nil
	}
	known, err := reader.KindConfig(ctx, e.declared.Name)
	if err != nil {
		return fmt.Errorf("read the table's configuration: %w", err)
	}
	if known != nil {
		return nil
	}
	page, err := e.query.Store.List(ctx, itemop.ListRequest{Partition: tablekeys.KindConfigs})
	if err != nil || len(page.Items) == 0 {
		return err
	}
	names := lists.Map(page.Items, func(it item.Item) string {
		name, _ := tablekeys.ParseKindConfig(it.Key())
		return name
	})
	return fmt.Errorf("%w: it has no kind %s, only %s: declare the kind in tidemark.yaml and deploy, "+
		"or open it with Options.Unmanaged if no function has to keep its rollups",
		ErrTableConfig, e.declared.Name, strings.Join(names, ", "))
}

// seriesOfTable is a series of the kind of the table, which says how many shards it has, and since when its
// rollups have a field.
func (e *Events[T]) seriesOfTable(ctx context.Context, key Key) (query.Series, error) {
	kind, err := e.kindOfTable(ctx)
	return query.Series{Kind: kind, Subject: key.Subject, Stream: key.Stream}, err
}

// kindToRead returns the kind if that is its name; see query.Live.
func (e *Events[T]) kindToRead(ctx context.Context, name string) (*catalog.Kind, error) {
	if name != e.declared.Name {
		return nil, nil
	}
	return e.kindOfTable(ctx)
}
