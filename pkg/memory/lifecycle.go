package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit stores all of one transaction, or nothing.
func (t *Table) Commit(ctx context.Context, tx table.Transaction) (table.TransactResult, error) {
	reply := table.TransactResult{Result: storage.Unknown}
	if err := checkContext(ctx, "commit"); err != nil {
		return reply, err
	}
	actions, err := lifecycleActions(tx.Actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	content := contentHash(tx.Actions)
	t.mu.Lock()
	defer t.mu.Unlock()
	stored, err := t.isRepeat(tx.Token, content)
	if stored {
		return table.TransactResult{Result: storage.Written}, nil
	}
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	failures, err := t.write(actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	if failures == nil {
		if tx.Token != "" {
			t.tokens[tx.Token] = storedTransaction{content: content, at: t.now()}
		}
		return table.TransactResult{Result: storage.Written}, nil
	}
	reply = table.TransactResult{Result: storage.ConditionFailed, Items: make([]table.ItemResult, len(failures))}
	for i, m := range failures {
		reply.Items[i] = table.ItemResult{Failed: m.failed, Old: clone(m.old)}
	}
	return reply, nil
}

func lifecycleActions(given []table.Action) ([]action, error) {
	var all []action
	for _, a := range given {
		become, err := changeOf(a)
		if err != nil {
			return nil, err
		}
		all = append(all, action{key: a.Key, condition: both(preconditionHolds(a.Precondition), satisfies(a.Where)), change: become})
	}
	return all, nil
}

// changeOf returns how an action changes its item; nil if it only checks.
func changeOf(a table.Action) (func(item.Item) item.Item, error) {
	switch {
	case a.Delete:
		return replaceWith(nil), nil
	case a.Put != nil:
		image, err := normalize(a.Put)
		return replaceWith(image), err
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
			}
			if !there {
				return false
			}
		}
		return true
	}
}

func equalValues(a, b item.Value) bool {
	return equalItems(item.Item{"": a}, item.Item{"": b})
}

// List reads one page of a partition, or of an index partition.
func (t *Table) List(ctx context.Context, l table.ListRequest) (page table.ListPage, _ error) {
	if err := checkContext(ctx, "list"); err != nil {
		return page, err
	}
	size := 0
	defer func() { countRead(ctx, len(page.Items), size, l.Index == "") }()
	for _, it := range t.listed(&l) {
		page.Items, size = append(page.Items, clone(it)), size+it.Size()
		if len(page.Items) == l.Limit || size >= pageBytes {
			page.Next = table.Position{Key: it.Key()}
			if l.Index != "" {
				page.Next.Sort = it.IndexKey(l.Index).SK
			}
			return page, nil
		}
	}
	return page, nil
}

// listed returns the items of a list request after its position, in the requested order.
// For an index it visits every item of the table.
func (t *Table) listed(l *table.ListRequest) []item.Item {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.Index == "" {
		return t.partitions[l.Partition].listed(l)
	}
	var found []item.Item
	for _, p := range t.partitions {
		for _, it := range p.items {
			if it.IndexKey(l.Index).PK == l.Partition && strings.HasPrefix(it.IndexKey(l.Index).SK, l.Prefix) {
				found = append(found, it)
			}
		}
	}
	// Items with equal sort keys in the index are ordered by their own keys.
	position := func(sort string, k keys.Key) string { return sort + "\x00" + k.PK + "\x00" + k.SK }
	of := func(it item.Item) string { return position(it.IndexKey(l.Index).SK, it.Key()) }
	direction := 1
	if l.Newest {
		direction = -1
	}
	slices.SortFunc(found, func(a, b item.Item) int { return direction * strings.Compare(of(a), of(b)) })
	if l.After == (table.Position{}) {
		return found
	}
	after := position(l.After.Sort, l.After.Key)
	return slices.DeleteFunc(found, func(it item.Item) bool { return direction*strings.Compare(of(it), after) <= 0 })
}

// listed returns the items of a list request on the table itself. The caller holds mu.
func (p *partition) listed(l *table.ListRequest) (found []item.Item) {
	if p == nil {
		return nil
	}
	from, _ := slices.BinarySearch(p.sorted, l.Prefix)
	for _, sk := range p.sorted[from:] {
		if !strings.HasPrefix(sk, l.Prefix) {
			break
		}
		beyond := l.After.Key.SK == "" || !l.Newest && sk > l.After.Key.SK || l.Newest && sk < l.After.Key.SK
		if beyond {
			found = append(found, p.items[sk])
		}
	}
	if l.Newest {
		slices.Reverse(found)
	}
	return found
}

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

// PurgeLocked reports whether a subject has a purge lock.
func (t *Table) PurgeLocked(ctx context.Context, subject model.Subject) (bool, error) {
	it, err := t.read(ctx, "read purge lock", tablekeys.PurgeLock(subject), true)
	return it != nil, err
}

// PutAll stores all items on their preconditions, or none.
func (t *Table) PutAll(ctx context.Context, puts []table.Put) (storage.WriteResult, error) {
	tx := table.Transaction{Actions: make([]table.Action, len(puts))}
	for i, p := range puts {
		tx.Actions[i] = table.Action{Key: p.Item.Key(), Precondition: p.Precondition, Put: p.Item}
	}
	reply, err := t.Commit(ctx, tx)
	return reply.Result, err
}

// Update sets and removes the attributes of an action, on its precondition.
func (t *Table) Update(ctx context.Context, a table.Action) (storage.WriteResult, error) {
	actions, err := lifecycleActions([]table.Action{a})
	switch {
	case err != nil:
		return storage.Unknown, fmt.Errorf("update item: %w", err)
	case len(a.Set) == 0 && len(a.Remove) == 0:
		return storage.Unknown, fmt.Errorf("update item: the action changes no attribute")
	}
	result, _, err := t.writeOne(ctx, "update item", actions[0])
	return result, err
}
