package aggregate

import (
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// rowsAhead are rows that were read together, before any look at them began; nil where
// there is none. Each is good for the first pass of its look: its rev was read before
// its children, which is all that the rule asks.
type rowsAhead map[rollup.Key]*rollup.Row

// readAhead reads the rows of touches together, where the table can. What it could not
// read, each look reads for itself.
func (a *Aggregator) readAhead(ctx context.Context, touches []*touch, limits Limits, total *tally) rowsAhead {
	store, ok := a.Store.(RowReader)
	if !ok || len(touches) < 2 {
		return nil
	}
	var mu sync.Mutex // guards ahead
	ahead := rowsAhead{}
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for chunk := range slices.Chunk(touches, RowsTogether) {
		group.Go(func() error {
			rows, err := store.ReadRows(ctx, keysOf(chunk))
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(ahead, rows)
			}
			total.count(Counts{Reads: 1})
			return nil
		})
	}
	_ = group.Wait() // none fails
	return ahead
}

func keysOf(touches []*touch) []rollup.Key {
	keys := make([]rollup.Key, len(touches))
	for i, t := range touches {
		keys[i] = t.key
	}
	return keys
}

// firstRow is step 1 of a pass: the row as it was read ahead, once, or as it is.
func (l *look) firstRow(ctx context.Context) (*rollup.Row, error) {
	row, known := l.ahead[l.key]
	if l.ahead = nil; !known {
		return l.readRow(ctx, l.key)
	}
	if row == nil {
		return nil, nil
	}
	return row, refuseNewer(row)
}
