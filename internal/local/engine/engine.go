// Package engine is a table that does what one of DynamoDB does: conditions, transactions, indexes, pages,
// TTL and a table stream with shards. It has two faces: package memory is the one in Go, for tests, and
// package protocol serves DynamoDB's own protocol, for tidemark dev.
//
// It does what Tidemark uses, and nothing else, so that it stays small enough to be right. DynamoDB Local and
// dynoxide are the referees: the contract of stores runs on all, and a fuzzer compares them.
package engine

import (
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Schema is what a table is created with. All key attributes are strings.
type Schema struct {
	Partition string
	Sort      string // "" for a table whose key is the partition alone
	Indexes   []Index
}

// Index is a global secondary index that projects all attributes.
type Index struct {
	Name, Partition string
	Sort            string // "" for none
}

// Options change a table while it runs. The zero value is a table without TTL and stream.
type Options struct {
	TTL    string // the attribute with the time of expiry; "" disables TTL
	Stream bool   // whether changes write records
	// Retention is how long a record stays in the stream; 0 keeps all.
	Retention time.Duration
}

// Table is one table. Create one with New. It is safe for concurrent use: each write holds one lock.
type Table struct {
	schema Schema
	now    func() model.Time

	mu       sync.RWMutex
	options  Options                 // guarded by mu
	items    *btree.BTreeG[entry]    // in order of the key; guarded by mu
	indexes  []*btree.BTreeG[entry]  // one for each index of the schema; guarded by mu
	expiring *btree.BTreeG[expiring] // the items that expire, first to expire first; guarded by mu
	bytes    int                     // of all items; guarded by mu
	tokens   tokens                  // guarded by mu
	stream   stream                  // guarded by mu
	log      Log                     // may be nil; guarded by mu
}

// entry is an item at its place in the table or in an index.
type entry struct {
	at place
	it stored
}

// place is where an item is in a table or an index. Items with equal sort keys in an index are in the order
// of their own keys.
type place struct {
	PK, SK string
	key    keys.Key // in an index, the item's own key
}

func before(a, b entry) bool {
	if c := strings.Compare(a.at.PK, b.at.PK); c != 0 {
		return c < 0
	}
	if c := strings.Compare(a.at.SK, b.at.SK); c != 0 {
		return c < 0
	}
	if c := strings.Compare(a.at.key.PK, b.at.key.PK); c != 0 {
		return c < 0
	}
	return a.at.key.SK < b.at.key.SK
}

// New returns an empty table. now is the clock of TTL, of stream records and of the lifetime of tokens.
func New(schema Schema, options Options, now func() model.Time) *Table {
	t := &Table{schema: schema, options: options, now: now, items: newTree(before),
		expiring: newTree(expiresBefore)}
	for range schema.Indexes {
		t.indexes = append(t.indexes, newTree(before))
	}
	t.tokens.stored = map[string]Transaction{}
	t.stream.open(firstShard)
	return t
}

// newTree returns a tree that the table's own lock guards.
func newTree[T any](less func(a, b T) bool) *btree.BTreeG[T] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

// Schema returns what the table was created with.
func (t *Table) Schema() Schema { return t.schema }

// Options returns the options of the table.
func (t *Table) Options() Options {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.options
}

// Size returns the number of items, and their size in bytes.
func (t *Table) Size() (items, bytes int) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.items.Len(), t.bytes
}

// get returns the stored item; nil if there is none. The caller holds mu.
func (t *Table) get(k keys.Key) item.Item { return t.held(k).item() }

func (t *Table) held(k keys.Key) stored {
	found, _ := t.items.Get(entry{at: place{PK: k.PK, SK: k.SK}})
	return found.it
}

// put makes a change in the table and in its indexes, and returns both items as the table holds them. The
// caller holds mu.
func (t *Table) put(c Change) (old, new stored) {
	new = store(c.New)
	k, it := c.Key, new.item() // keys that are parts of the stored text take no memory of their own
	var was entry
	if it == nil {
		was, _ = t.items.Delete(entry{at: place{PK: k.PK, SK: k.SK}})
	} else {
		k = t.schema.ownKey(it)
		was, _ = t.items.Set(entry{place{PK: k.PK, SK: k.SK}, new})
	}
	t.bytes += it.Size() - c.Old.Size()
	for i := range t.indexes {
		was, before := t.indexed(i, k, c.Old)
		is, now := t.indexed(i, k, it)
		if before && (!now || was != is) {
			t.indexes[i].Delete(entry{at: was})
		}
		if now {
			t.indexes[i].Set(entry{is, new})
		}
	}
	t.expireLater(k, c.Old, it)
	return was.it, new
}

// indexed returns the place of an item in an index; ok is false if it is not in it.
func (t *Table) indexed(index int, k keys.Key, it item.Item) (at place, ok bool) {
	entry, ok := t.schema.Entry(index, k, it)
	return place{PK: entry.IndexPartition, SK: entry.Index, key: k}, ok
}

// hash returns where a partition key is among the ranges of stream shards.
func hash(pk string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(pk))
	return h.Sum32() * 2654435769 // spreads keys that differ in their last bytes only
}
