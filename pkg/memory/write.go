package memory

import (
	"bytes"
	"errors"
	"fmt"
	"maps"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// action is one item of a write: a condition on the item as it stands, and what it
// becomes. It is called with nil where there is no item, and may not change what it
// is given.
type action struct {
	key    keys.Key
	holds  func(old item.Item) bool
	become func(old item.Item) item.Item // nil only checks; an item of nil removes
}

// The limits of a request.
const (
	maxActions     = 100
	maxItemBytes   = 400 << 10
	maxActionBytes = 4 << 20
)

// Errors that no retry mends.
var (
	ErrMalformed = errors.New("malformed request")
	// ErrTokenReused says that a token came again with another transaction.
	ErrTokenReused = errors.New("the token was stored with another transaction within the last ten minutes: mint a new one for a changed transaction")
)

// refused is what a failed write met: by action, whether its condition failed and
// the item it failed on.
type refused []struct {
	failed bool
	old    item.Item
}

// write carries out all actions or none. Callers hold mu.
func (t *Table) write(actions []action) (refused, error) {
	if err := wellFormed(actions); err != nil {
		return nil, err
	}
	met, images := make(refused, len(actions)), make([]item.Item, len(actions))
	failed, size := false, 0
	for i, a := range actions {
		old := t.get(a.key)
		if !a.holds(old) {
			met[i].failed, met[i].old, failed = true, old, true
			continue
		}
		if a.become == nil {
			continue
		}
		if images[i] = a.become(old); images[i].Size() > maxItemBytes {
			return nil, fmt.Errorf("%w: item %v of %d bytes: the table keeps %d", ErrMalformed, a.key, images[i].Size(), maxItemBytes)
		}
		size += images[i].Size()
	}
	if size > maxActionBytes {
		return nil, fmt.Errorf("%w: %d bytes in a transaction: at most %d", ErrMalformed, size, maxActionBytes)
	}
	if failed {
		return met, nil
	}
	for i, a := range actions {
		if a.become != nil {
			t.change(a.key, images[i])
		}
	}
	return nil, nil
}

// change puts an image in the place of what is there and writes the record of it; a
// change that changes nothing writes none. Callers hold mu.
func (t *Table) change(k keys.Key, image item.Item) {
	old := t.get(k)
	t.put(k, image)
	t.record(k, old, image, false)
}

// wellFormed refuses what the server refuses before it looks at any item.
func wellFormed(actions []action) error {
	if len(actions) == 0 || len(actions) > maxActions {
		return fmt.Errorf("%w: %d items in a transaction: want 1 to %d", ErrMalformed, len(actions), maxActions)
	}
	seen := make(map[keys.Key]bool, len(actions))
	for _, a := range actions {
		if err := a.key.Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if seen[a.key] {
			return fmt.Errorf("%w: the transaction names %v twice", ErrMalformed, a.key)
		}
		seen[a.key] = true
	}
	return nil
}

func free(old item.Item) bool { return old == nil }

// whole replaces the item by a copy of it, so that what the caller does with its own
// afterwards is no matter of ours.
func whole(it item.Item) func(item.Item) item.Item {
	image := clone(it)
	return func(item.Item) item.Item { return image }
}

// same reports whether two items hold the same; nil is no item.
func same(a, b item.Item) bool {
	return (a == nil) == (b == nil) && maps.EqualFunc(a, b, func(x, y item.Value) bool {
		return x.Type == y.Type && x.S == y.S && x.Bool == y.Bool && bytes.Equal(x.B, y.B)
	})
}
