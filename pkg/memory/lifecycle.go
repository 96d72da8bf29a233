package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Commit stores one transaction, or nothing of it.
func (t *Table) Commit(ctx context.Context, tx lifecycle.Transaction) (lifecycle.Reply, error) {
	reply := lifecycle.Reply{Answer: model.Uncertain}
	if err := alive(ctx, "commit"); err != nil {
		return reply, err
	}
	actions, err := lifecycleActions(tx.Actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	content := contentOf(tx.Actions)
	t.mu.Lock()
	defer t.mu.Unlock()
	stored, err := t.repeated(tx.Token, content)
	if stored {
		return lifecycle.Reply{Answer: model.Written}, nil
	}
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	met, err := t.write(actions)
	if err != nil {
		return reply, fmt.Errorf("commit: %w", err)
	}
	if met == nil {
		if tx.Token != "" {
			t.tokens[tx.Token] = sent{content: content, at: t.now()}
		}
		return lifecycle.Reply{Answer: model.Written}, nil
	}
	reply = lifecycle.Reply{Answer: model.Refused, Met: make([]lifecycle.Met, len(met))}
	for i, m := range met {
		reply.Met[i] = lifecycle.Met{Failed: m.failed, Old: clone(m.old)}
	}
	return reply, nil
}

func lifecycleActions(given []lifecycle.Action) ([]action, error) {
	var all []action
	for _, a := range given {
		become, err := becomes(a)
		if err != nil {
			return nil, err
		}
		all = append(all, action{key: a.Key, holds: holds(a.When), become: become})
	}
	return all, nil
}

// becomes is what an action makes of its item; nil where it only checks.
func becomes(a lifecycle.Action) (func(item.Item) item.Item, error) {
	switch {
	case a.Delete:
		return whole(nil), nil
	case a.Put != nil:
		image, err := normal(a.Put)
		return whole(image), err
	case a.Set == nil && a.Remove == nil:
		return nil, nil
	}
	set, err := normal(a.Set)
	key := item.Item{keys.AttrPK: {Type: item.S, S: a.Key.PK}, keys.AttrSK: {Type: item.S, S: a.Key.SK}}
	return func(old item.Item) item.Item {
		image := update(update(old, key), set)
		maps.DeleteFunc(image, func(name string, _ item.Value) bool { return slices.Contains(a.Remove, name) })
		return image
	}, err
}

func holds(when lifecycle.Condition) func(item.Item) bool {
	return func(old item.Item) bool {
		for _, t := range when {
			v, there := old[t.Attr]
			switch t.Op {
			case lifecycle.Free:
				there = old == nil
			case lifecycle.There:
				there = old != nil
			case lifecycle.Is:
				there = there && sameValue(v, t.Value)
			case lifecycle.IsNot:
				there = !there || !sameValue(v, t.Value)
			case lifecycle.Lacks:
				there = !there
			}
			if !there {
				return false
			}
		}
		return true
	}
}

func sameValue(a, b item.Value) bool {
	return same(item.Item{"": a}, item.Item{"": b})
}

// List reads one page of a partition, or of an index partition.
func (t *Table) List(ctx context.Context, l lifecycle.Listing) (page lifecycle.ListPage, _ error) {
	if err := alive(ctx, "list"); err != nil {
		return page, err
	}
	size := 0
	defer func() { took(ctx, len(page.Items), size, l.Index == "") }()
	for _, it := range t.listed(&l) {
		page.Items, size = append(page.Items, clone(it)), size+it.Size()
		if len(page.Items) == l.Limit || size >= pageBytes {
			page.Next = lifecycle.Place{Key: it.Key()}
			if l.Index != "" {
				page.Next.Sort = it.IndexKey(l.Index).SK
			}
			return page, nil
		}
	}
	return page, nil
}

// listed are the items of a listing beyond its position, in the order asked for. Of an
// index every item is looked at: an index is for tables that do not fit in memory.
func (t *Table) listed(l *lifecycle.Listing) []item.Item {
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
	// Equal sort keys of an index stand in the order of the items' own keys here.
	place := func(sort string, k keys.Key) string { return sort + "\x00" + k.PK + "\x00" + k.SK }
	of := func(it item.Item) string { return place(it.IndexKey(l.Index).SK, it.Key()) }
	direction := 1
	if l.Newest {
		direction = -1
	}
	slices.SortFunc(found, func(a, b item.Item) int { return direction * strings.Compare(of(a), of(b)) })
	if l.After == (lifecycle.Place{}) {
		return found
	}
	after := place(l.After.Sort, l.After.Key)
	return slices.DeleteFunc(found, func(it item.Item) bool { return direction*strings.Compare(of(it), after) <= 0 })
}

// listed are the items of a listing of the table itself. Callers hold mu.
func (p *partition) listed(l *lifecycle.Listing) (found []item.Item) {
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
func (t *Table) Erase(ctx context.Context, these []keys.Key) (left []keys.Key, _ model.Answer, _ error) {
	if err := alive(ctx, "erase"); err != nil {
		return these, model.Uncertain, err
	}
	if len(these) == 0 || len(these) > lifecycle.MaxErase {
		return these, model.Uncertain, fmt.Errorf("erase: %w: %d items in a request: want 1 to %d", ErrMalformed, len(these), lifecycle.MaxErase)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range these {
		t.change(k, nil)
	}
	return nil, model.Written, nil
}

// Gated reports whether a subject's purge gate is there.
func (t *Table) Gated(ctx context.Context, subject model.Subject) (bool, error) {
	it, err := t.read(ctx, "look at the gate", keys.Gate(subject), true)
	return it != nil, err
}
