package memory

import (
	"bytes"
	"errors"
	"fmt"
	"maps"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// action is the write of one item. condition and change get the stored item, nil if there
// is none, and must not change it.
type action struct {
	key       keys.Key
	condition func(old item.Item) bool
	change    func(old item.Item) item.Item // nil if the action only checks; returns nil to remove the item
}

// Limits of a request.
const (
	maxActions     = 100
	maxItemBytes   = 400 << 10
	maxActionBytes = 4 << 20
)

// Permanent errors.
var (
	errMalformed = errors.New("malformed request")
	// errTokenReused is the error of a token that was used for another transaction.
	errTokenReused = errors.New("the token was used for another transaction within the last ten minutes: use a new one for a changed transaction")
)

// write carries out all actions, or none if a condition fails: then it returns the result of each.
// The caller holds mu.
func (t *Table) write(actions []action) ([]table.ItemResult, error) {
	if err := validateActions(actions); err != nil {
		return nil, err
	}
	failures, images := make([]table.ItemResult, len(actions)), make([]item.Item, len(actions))
	failed, size := false, 0
	for i, a := range actions {
		old := t.get(a.key)
		if !a.condition(old) {
			failures[i], failed = table.ItemResult{Failed: true, Old: old}, true
			continue
		}
		if a.change == nil {
			continue
		}
		if images[i] = a.change(old); images[i].Size() > maxItemBytes {
			return nil, fmt.Errorf("%w: %w: item %v of %d bytes", errMalformed, storage.ErrTooLarge, a.key, images[i].Size())
		}
		size += images[i].Size()
	}
	if size > maxActionBytes {
		return nil, fmt.Errorf("%w: %d bytes in a transaction: at most %d", errMalformed, size, maxActionBytes)
	}
	if failed {
		return failures, nil
	}
	for i, a := range actions {
		if a.change != nil {
			t.change(a.key, images[i])
		}
	}
	return nil, nil
}

// change stores an image and writes its stream record, unless the item is unchanged. The caller holds mu.
func (t *Table) change(k keys.Key, image item.Item) {
	old := t.get(k)
	t.put(k, image)
	t.record(k, old, image, false)
}

// validateActions rejects what DynamoDB rejects before it reads any item.
func validateActions(actions []action) error {
	if len(actions) == 0 || len(actions) > maxActions {
		return fmt.Errorf("%w: %d items in a transaction: want 1 to %d", errMalformed, len(actions), maxActions)
	}
	seen := make(map[keys.Key]bool, len(actions))
	for _, a := range actions {
		if err := a.key.Check(); err != nil {
			return fmt.Errorf("%w: %w", errMalformed, err)
		}
		if seen[a.key] {
			return fmt.Errorf("%w: the transaction has two actions on %v", errMalformed, a.key)
		}
		seen[a.key] = true
	}
	return nil
}

// constant returns a change that stores an image, or removes the item if it is nil.
func constant(image item.Item) func(item.Item) item.Item {
	return func(item.Item) item.Item { return image }
}

// equalItems reports whether two items have equal values; nil is no item.
func equalItems(a, b item.Item) bool {
	return (a == nil) == (b == nil) && maps.EqualFunc(a, b, func(x, y item.Value) bool {
		return x.Type == y.Type && x.S == y.S && x.Bool == y.Bool && bytes.Equal(x.B, y.B)
	})
}
