package faults

import (
	"context"
	"errors"
	"sync"

	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// request is one request of an aggregator, as a fault sees it.
type request struct {
	n         int    // counted from 0
	write     bool   // else a read
	partition string // what it asks for
}

// fate is what becomes of a request.
type fate int

const (
	fine       fate = iota
	throttled       // refused for its capacity
	lost            // not carried out, and nobody knows
	answerLost      // carried out, and nobody knows
)

// fated is a table of which every request meets its fate. What the fate is asked for
// may use the table itself: that is what happens just before the request.
type fated struct {
	store
	fate func(request) fate

	mu sync.Mutex
	n  int // requests so far; guarded by mu
}

var errUnanswered = errors.New("the request was not answered")

func (f *fated) next(write bool, s model.Series) fate {
	f.mu.Lock()
	n := f.n
	f.n++
	f.mu.Unlock()
	return f.fate(request{n, write, keys.Partition(s)})
}

func (f *fated) read(s model.Series) error {
	if f.next(false, s) != fine {
		return errUnanswered
	}
	return nil
}

func (f *fated) Row(ctx context.Context, k rollup.Key) (*rollup.Row, error) {
	if err := f.read(k.Series); err != nil {
		return nil, err
	}
	return f.store.Row(ctx, k)
}

func (f *fated) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := f.read(r.Series); err != nil {
		return storage.EventPage{}, err
	}
	return f.store.Events(ctx, r)
}

func (f *fated) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := f.read(r.Series); err != nil {
		return rollup.RowPage{}, err
	}
	return f.store.Rows(ctx, u, r)
}

func (f *fated) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	switch f.next(true, row.Key.Series) {
	case throttled:
		return storage.Throttled, nil
	case lost:
		return storage.Unknown, nil
	case answerLost:
		_, err := f.store.PutRow(ctx, row, prev)
		return storage.Unknown, err
	}
	return f.store.PutRow(ctx, row, prev)
}

// together is a fated table that reads many rows by one request.
type together struct{ *fated }

func (t together) ReadRows(ctx context.Context, wanted []rollup.Key) (map[rollup.Key]*rollup.Row, error) {
	if err := t.read(wanted[0].Series); err != nil {
		return nil, err
	}
	rows := map[rollup.Key]*rollup.Row{}
	for _, k := range wanted {
		row, err := t.store.Row(ctx, k)
		if err != nil {
			return nil, err
		}
		rows[k] = row
	}
	return rows, nil
}
