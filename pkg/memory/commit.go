package memory

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// Commit stores all of one transaction, or nothing.
func (t *Table) Commit(ctx context.Context, tx itemop.Transaction) (itemop.TransactResult, error) {
	reply := itemop.TransactResult{Result: storage.Unknown}
	if err := checkContext(ctx, "commit"); err != nil {
		return reply, err
	}
	actions, err := engineActions(tx.Actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	failures, err := t.transact(tx.Token, contentHash(tx.Actions), actions)
	switch {
	case err != nil:
		return reply, fmt.Errorf("commit: %w", err)
	case failures == nil:
		return itemop.TransactResult{Result: storage.Written}, nil
	}
	return itemop.TransactResult{Result: storage.ConditionFailed, Items: failures}, nil
}

// transact carries out all actions, or none if a condition fails or a transaction with this token and
// content is already stored. It returns the result of each action if a condition failed; else nil.
func (t *Table) transact(token string, content [sha256.Size]byte,
	actions []engine.Action) ([]itemop.ItemResult, error) {
	for i := range actions {
		if err := actions[i].Key.Check(); err != nil {
			return nil, fmt.Errorf("%w: %w", engine.ErrMalformed, err)
		}
	}
	result, err := t.engine.Write(token, content, actions)
	if err != nil || result.Outcomes == nil {
		return nil, err
	}
	failures := make([]itemop.ItemResult, len(actions))
	for i, o := range result.Outcomes {
		if o.Invalid != nil {
			return nil, fmt.Errorf("%w: %w", engine.ErrMalformed, o.Invalid)
		}
		failures[i] = itemop.ItemResult{Failed: o.Failed, Old: o.Old}
	}
	return failures, nil
}

func engineActions(given []itemop.Action) (all []engine.Action, err error) {
	all = make([]engine.Action, len(given))
	for i := range given {
		if all[i], err = engineAction(&given[i]); err != nil {
			return nil, fmt.Errorf("%w: %w", engine.ErrMalformed, err)
		}
	}
	return all, nil
}

func engineAction(a *itemop.Action) (out engine.Action, err error) {
	out.Key = a.Key
	if condition := append(precondition(a.Precondition), where(a.Where)...); len(condition) > 0 {
		out.If = condition
	}
	switch {
	case a.Delete:
		out.Kind = engine.Delete
	case a.Put != nil:
		out.Kind = engine.Put
		out.Item, err = engine.Normalize(a.Put)
	case a.Set != nil || a.Remove != nil:
		out.Kind, out.Remove = engine.Update, a.Remove
		set, invalid := engine.Normalize(a.Set)
		out.Set, err = assignments(set, ""), invalid
	}
	return out, err
}

// PutAll stores all items on their preconditions, or none.
func (t *Table) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	reply, err := t.Commit(ctx, itemop.Transaction{Actions: itemop.Puts(puts)})
	return reply.Result, err
}

// Update sets and removes the attributes of an action, on its precondition.
func (t *Table) Update(ctx context.Context, a itemop.Action) (storage.WriteResult, error) {
	if len(a.Set) == 0 && len(a.Remove) == 0 {
		return storage.Unknown, errors.New("update item: the action changes no attribute")
	}
	written, err := t.writeOne(ctx, "update item", &a)
	return written.WriteResult, err
}

// writeOne carries out one action.
func (t *Table) writeOne(ctx context.Context, operation string,
	given *itemop.Action) (itemstore.Result, error) {
	unknown := itemstore.Result{WriteResult: storage.Unknown}
	if err := checkContext(ctx, operation); err != nil {
		return unknown, err
	}
	actions, err := engineActions([]itemop.Action{*given})
	if err != nil {
		return unknown, fmt.Errorf("%s: %w", operation, err)
	}
	failures, err := t.transact("", [sha256.Size]byte{}, actions)
	switch {
	case err != nil:
		return unknown, fmt.Errorf("%s: %w", operation, err)
	case failures != nil:
		return itemstore.Result{WriteResult: storage.ConditionFailed, Old: failures[0].Old}, nil
	default:
		return itemstore.Result{WriteResult: storage.Written}, nil
	}
}
