package faults

import (
	"context"
	"errors"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// request is one request of an aggregator.
type request struct {
	n         int    // counted from 0
	write     bool   // false for a read
	partition string // partition key
}

// effect is the effect of a fault on a request.
type effect int

const (
	fine        effect = iota
	throttled          // not carried out
	lost               // not carried out, without a response
	unconfirmed        // carried out, without a response
)

// faulty is a table on which effect selects the effect on every request. effect may use the table
// itself, to change it just before the request.
type faulty struct {
	store
	effect func(request) effect

	mu sync.Mutex
	n  int // requests so far; guarded by mu
}

var errNoResponse = errors.New("the request received no response")

func (f *faulty) next(write bool, s model.Series) effect {
	f.mu.Lock()
	n := f.n
	f.n++
	f.mu.Unlock()
	return f.effect(request{n: n, write: write, partition: keys.Partition(s)})
}

func (f *faulty) read(s model.Series) error {
	if f.next(false, s) != fine {
		return errNoResponse
	}
	return nil
}

func (f *faulty) Row(ctx context.Context, k rollup.Key) (*rollup.Row, error) {
	if err := f.read(k.Series); err != nil {
		return nil, err
	}
	return f.store.Row(ctx, k)
}

func (f *faulty) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	if err := f.read(r.Series); err != nil {
		return storage.EventPage{}, err
	}
	return f.store.Events(ctx, r)
}

func (f *faulty) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if err := f.read(r.Series); err != nil {
		return rollup.RowPage{}, err
	}
	return f.store.Rows(ctx, u, r)
}

func (f *faulty) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	switch f.next(true, row.Key.Series) {
	case throttled:
		return storage.Throttled, nil
	case lost:
		return storage.Unknown, nil
	case unconfirmed:
		_, err := f.store.PutRow(ctx, row, prev)
		return storage.Unknown, err
	}
	return f.store.PutRow(ctx, row, prev)
}

// together is a faulty table that can read many rows with one request.
type together struct{ *faulty }

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
