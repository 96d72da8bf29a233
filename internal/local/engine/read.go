package engine

import (
	"strings"

	"github.com/tidwall/btree"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// PageBytes is the size at which a page ends.
const PageBytes = 1 << 20

// Range is a request for one page of the items of a partition, in the order of the sort keys.
type Range struct {
	Index     string // "" is the table itself
	Partition string
	Prefix    string // of the sort key
	From, To  string // bounds of the sort key; "" is no bound
	// Without excludes From, and the items that have To as their sort key.
	WithoutFrom, WithoutTo bool
	Newest                 bool // in descending order
	Limit                  int  // items; 0 is no limit
	After                  *Position
}

// Position is the position of an item in a page.
type Position struct {
	Key                   keys.Key
	IndexPartition, Index string // its key in the index; "" in the table itself
}

// Page is one page in the requested order.
type Page struct {
	Items []item.Item
	Bytes int       // of the items
	Next  *Position // nil on the last page
}

// Get returns an item; nil if there is none.
func (t *Table) Get(k keys.Key) (item.Item, Pending) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.get(k), t.stored()
}

// Query reads one page. As in DynamoDB, a page that ends at its limit has a next one, which may be empty. An
// index that the table does not have is no page: see Schema.
func (t *Table) Query(r *Range) (page Page, _ Pending) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tree, index := t.items, -1
	if i, ok := t.schema.index(r.Index); ok {
		tree, index = t.indexes[i], i
	}
	t.walk(tree, r, func(e entry) bool {
		switch r.place(e.at.PK, e.at.SK) {
		case 0:
			return page.add(t, e, index, r.Limit)
		default:
			return false
		}
	})
	return page, t.stored()
}

// Scan reads one page of the whole table or of an index, in the order of the keys.
func (t *Table) Scan(index string, after *Position, limit int) (page Page, _ Pending) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	tree, i := t.items, -1
	if n, ok := t.schema.index(index); ok {
		tree, i = t.indexes[n], n
	}
	var pivot entry
	if after != nil {
		pivot = entry{at: after.place(index)}
	}
	tree.Ascend(pivot, func(e entry) bool {
		if after != nil && !before(pivot, e) {
			return true
		}
		return page.add(t, e, i, limit)
	})
	return page, t.stored()
}

// add adds an item and reports whether the page continues.
func (p *Page) add(t *Table, e entry, index, limit int) bool {
	it := e.it.item()
	p.Items = append(p.Items, it)
	p.Bytes += it.Size()
	if len(p.Items) != limit && p.Bytes < PageBytes {
		return true
	}
	p.Next = &Position{Key: keys.Key{PK: e.at.PK, SK: e.at.SK}}
	if index >= 0 {
		p.Next = &Position{Key: e.at.key, IndexPartition: e.at.PK, Index: e.at.SK}
	}
	return false
}

// place returns where a position is in the table or in an index.
func (p *Position) place(index string) place {
	if index == "" {
		return place{PK: p.Key.PK, SK: p.Key.SK}
	}
	return place{PK: p.IndexPartition, SK: p.Index, key: p.Key}
}

// top is after every key, which are valid UTF-8.
const top = "\xff"

// walk visits the entries of a request from its start, or the position after, in the requested order.
func (t *Table) walk(tree *btree.BTreeG[entry], r *Range, visit func(entry) bool) {
	pivot := entry{at: place{PK: r.Partition, SK: max(r.From, r.Prefix)}}
	if r.Newest {
		pivot.at = place{PK: r.Partition, SK: r.end(), key: keys.Key{PK: top}}
	}
	if r.After != nil {
		if from := (entry{at: r.After.place(r.Index)}); before(pivot, from) != r.Newest {
			pivot = from
		}
	}
	each := func(e entry) bool {
		if r.After != nil && e.at == r.After.place(r.Index) || r.excludes(e.at.SK) {
			return true
		}
		return visit(e)
	}
	if r.Newest {
		tree.Descend(pivot, each)
		return
	}
	tree.Ascend(pivot, each)
}

// end returns a sort key at or after every one of the request.
func (r *Range) end() string {
	switch {
	case r.To != "":
		return r.To
	case r.Prefix != "":
		return r.Prefix + top
	default:
		return top
	}
}

func (r *Range) excludes(sk string) bool {
	return r.WithoutFrom && sk == r.From || r.WithoutTo && sk == r.To
}

// place returns -1 for a key before the range of a request, 0 for one in it, and 1 for one after it.
func (r *Range) place(pk, sk string) int {
	switch {
	case pk != r.Partition:
		return strings.Compare(pk, r.Partition)
	case sk < max(r.From, r.Prefix):
		return -1
	case r.To != "" && sk > r.To, !strings.HasPrefix(sk, r.Prefix):
		return 1
	default:
		return 0
	}
}

// Contains reports whether a position is in the range.
func (r *Range) Contains(at *Position) bool {
	p := at.place(r.Index)
	return r.place(p.PK, p.SK) == 0 && !r.excludes(p.SK)
}
