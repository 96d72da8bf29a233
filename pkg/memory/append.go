package memory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemstore"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Append stores all of one transaction, or nothing.
func (t *Table) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	reply := storage.StoreResult{Result: storage.Unknown}
	if err := checkContext(ctx, "append"); err != nil {
		return reply, err
	}
	actions, err := appendActions(&tx)
	if err != nil {
		return reply, fmt.Errorf("append: %w", err)
	}
	failures, err := t.transact(tx.Token, contentHash(withoutToken(tx)), actions)
	switch {
	case err != nil:
		return reply, fmt.Errorf("append: %w", err)
	case failures != nil:
		return itemstore.FailedAppend(&tx, failures)
	default:
		return storage.StoreResult{Result: storage.Written}, nil
	}
}

// contentHash returns a hash of a transaction without its token.
func contentHash(tx any) [sha256.Size]byte {
	encoded, _ := json.Marshal(tx) // plain data: cannot fail
	return sha256.Sum256(encoded)
}

func withoutToken(tx storage.AppendTransaction) storage.AppendTransaction {
	tx.Token = ""
	return tx
}

// appendActions returns the actions of the transaction in the order of DynamoDB: the write or check
// of the latest item, and itemstore.EventActions.
func appendActions(tx *storage.AppendTransaction) ([]engine.Action, error) {
	var out []engine.Action
	switch {
	case tx.Latest != nil && tx.Check != nil:
		return nil, fmt.Errorf("%w: the transaction both writes and checks the latest item", engine.ErrMalformed)
	case tx.Latest != nil:
		out = append(out, latestAction(tx.Latest))
	case tx.Check != nil:
		condition := append(otherOrder(tx.Check.Not), where(tx.Check.Condition)...)
		if len(condition) == 0 {
			return nil, fmt.Errorf("%w: check latest item of %s: the condition is empty", engine.ErrMalformed,
				tx.Check.Series)
		}
		out = append(out, engine.Action{Key: keys.Latest(tx.Check.Series), If: condition})
	}
	events, err := engineActions(itemstore.EventActions(tx))
	return append(out, events...), err
}

// latestAction changes a latest item if its order and the caller's condition allow it. It
// sets the attributes that the write names and keeps all others.
func latestAction(w *storage.LatestWrite) engine.Action {
	set := item.FromLatest(&model.Latest{
		Series: w.Series, Ordered: true, Order: w.Last, Hash: w.Hash, Attrs: w.Set, CreatedAt: w.Now,
	})
	a := engine.Action{Kind: engine.Update, Key: set.Key(), If: append(inOrder(w), where(w.Condition)...)}
	for _, entry := range w.Entries {
		if set.SetIndex(entry.Index, entry.Key); entry.Key == (keys.Key{}) {
			pk, sk := item.IndexAttrs(entry.Index)
			a.Remove = append(a.Remove, pk, sk)
		}
	}
	a.Set = assignments(set, keys.AttrCreatedAt)
	return a
}

// assignments set the attributes of an item, except its key. The attribute once is set only if it is missing.
func assignments(set item.Item, once string) (all []engine.Assignment) {
	for name, v := range set {
		if name == keys.AttrPK || name == keys.AttrSK {
			continue
		}
		to := engine.Assignment{Attr: name, To: engine.Value(v)}
		if name == once {
			to.Once = once
		}
		all = append(all, to)
	}
	return all
}

// unlocked holds if the subject has no purge lock.
const unlocked = engine.Missing(tablekeys.AttrPurgeLock)

// inOrder holds if the order of the write fits the stored one: for a creation there is no stored order;
// otherwise the stored order is before the first new one, or equal to it for a merge.
func inOrder(w *storage.LatestWrite) engine.All {
	const unordered = engine.Missing(tablekeys.AttrAt)
	switch {
	case w.Same:
		return engine.All{unlocked, same(w.First)}
	case w.OrCreate:
		return engine.All{unlocked, engine.Any{unordered, earlier(w.First)}}
	case w.Create:
		return engine.All{unlocked, unordered}
	default:
		return engine.All{unlocked, earlier(w.First)}
	}
}

// otherOrder holds if the item is not purge locked and not of the event with the order; nil is no
// requirement.
func otherOrder(o *model.Order) engine.All {
	if o == nil {
		return nil
	}
	return engine.All{unlocked, engine.Not{Condition: same(*o)}}
}

func same(o model.Order) engine.All {
	return engine.All{text(tablekeys.AttrAt, model.Equal, o.At.String()),
		text(tablekeys.AttrID, model.Equal, o.ID)}
}

func earlier(o model.Order) engine.Any {
	at := o.At.String()
	return engine.Any{
		text(tablekeys.AttrAt, model.Less, at),
		engine.All{text(tablekeys.AttrAt, model.Equal, at), text(tablekeys.AttrID, model.Less, o.ID)},
	}
}

func text(attr string, op model.Op, s string) engine.Condition {
	return compare(attr, op, item.Value{Type: item.S, S: s})
}
