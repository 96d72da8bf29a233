package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/itemstore"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// Commit stores all of one transaction, or nothing.
func (t *Table) Commit(ctx context.Context, tx table.Transaction) (table.TransactResult, error) {
	reply := table.TransactResult{Result: storage.Unknown}
	if err := checkContext(ctx, "commit"); err != nil {
		return reply, err
	}
	actions, err := actionsOf(tx.Actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	failures, err := t.transact(tx.Token, contentHash(tx.Actions), actions)
	switch {
	case err != nil:
		return reply, fmt.Errorf("commit: %w", err)
	case failures == nil:
		return table.TransactResult{Result: storage.Written}, nil
	}
	for i := range failures {
		failures[i].Old = clone(failures[i].Old)
	}
	return table.TransactResult{Result: storage.ConditionFailed, Items: failures}, nil
}

// transact carries out all actions, or none if a condition fails or a transaction with this
// token and content is already stored.
func (t *Table) transact(token string, content [sha256.Size]byte, actions []action) ([]table.ItemResult, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if stored, err := t.isRepeat(token, content); stored || err != nil {
		return nil, err
	}
	failures, err := t.write(actions)
	if err == nil && failures == nil && token != "" {
		t.tokens[token] = storedTransaction{content: content, at: t.now()}
	}
	return failures, err
}

func actionsOf(given []table.Action) (all []action, err error) {
	all = make([]action, len(given))
	for i := range given {
		if all[i], err = actionOf(&given[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func actionOf(a *table.Action) (action, error) {
	change, err := changeOf(a)
	return action{key: a.Key, condition: both(preconditionHolds(a.Precondition), satisfies(a.Where)), change: change}, err
}

// changeOf returns how an action changes its item; nil if it only checks.
func changeOf(a *table.Action) (func(item.Item) item.Item, error) {
	switch {
	case a.Delete:
		return constant(nil), nil
	case a.Put != nil:
		image, err := normalize(a.Put)
		return constant(image), err
	case a.Set == nil && a.Remove == nil:
		return nil, nil
	}
	set, err := normalize(a.Set)
	key := item.Item{keys.AttrPK: {Type: item.S, S: a.Key.PK}, keys.AttrSK: {Type: item.S, S: a.Key.SK}}
	return func(old item.Item) item.Item {
		image := update(update(old, key), set)
		maps.DeleteFunc(image, func(name string, _ item.Value) bool { return slices.Contains(a.Remove, name) })
		return image
	}, err
}

func both(a, b func(item.Item) bool) func(item.Item) bool {
	return func(old item.Item) bool { return a(old) && b(old) }
}

func preconditionHolds(when table.Precondition) func(item.Item) bool {
	return func(old item.Item) bool {
		for _, t := range when {
			v, there := old[t.Attr]
			switch t.Op {
			case table.ItemAbsent:
				there = old == nil
			case table.ItemExists:
				there = old != nil
			case table.AttrEquals:
				there = there && equalValues(v, t.Value)
			case table.AttrDiffers:
				there = !there || !equalValues(v, t.Value)
			case table.AttrAbsent:
				there = !there
			case table.AttrCompares:
				there = there && comparisons[t.By](v, t.Value)
			case table.AttrAbsentOrCompares:
				there = !there || comparisons[t.By](v, t.Value)
			}
			if !there {
				return false
			}
		}
		return true
	}
}

func equalValues(a, b item.Value) bool { return equalItems(item.Item{"": a}, item.Item{"": b}) }

// Erase removes items, whatever they are.
func (t *Table) Erase(ctx context.Context, these []keys.Key) (left []keys.Key, _ storage.WriteResult, _ error) {
	if err := checkContext(ctx, "erase"); err != nil {
		return these, storage.Unknown, err
	}
	if len(these) == 0 || len(these) > lifecycle.MaxErase {
		return these, storage.Unknown, fmt.Errorf("erase: %w: %d items in a request: want 1 to %d", errMalformed, len(these), lifecycle.MaxErase)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range these {
		t.change(k, nil)
	}
	return nil, storage.Written, nil
}

// PutAll stores all items on their preconditions, or none.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (storage.WriteResult, error) {
	reply, err := t.Commit(ctx, table.Transaction{Actions: table.Puts(puts)})
	return reply.Result, err
}

// Update sets and removes the attributes of an action, on its precondition.
func (t *Table) Update(ctx context.Context, a table.Action) (storage.WriteResult, error) {
	if len(a.Set) == 0 && len(a.Remove) == 0 {
		return storage.Unknown, errors.New("update item: the action changes no attribute")
	}
	written, err := t.writeOne(ctx, "update item", &a)
	return written.WriteResult, err
}

// writeOne carries out one action.
func (t *Table) writeOne(ctx context.Context, operation string, given *table.Action) (itemstore.Result, error) {
	unknown := itemstore.Result{WriteResult: storage.Unknown}
	if err := checkContext(ctx, operation); err != nil {
		return unknown, err
	}
	a, err := actionOf(given)
	if err != nil {
		return unknown, fmt.Errorf("%s: %w", operation, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	failures, err := t.write([]action{a})
	switch {
	case err != nil:
		return unknown, fmt.Errorf("%s: %w", operation, err)
	case failures != nil:
		return itemstore.Result{WriteResult: storage.ConditionFailed, Old: failures[0].Old}, nil
	default:
		return itemstore.Result{WriteResult: storage.Written}, nil
	}
}
