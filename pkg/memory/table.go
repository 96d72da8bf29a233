// Package memory is the table in memory: for tests, for examples and for the fault
// simulator. It keeps real stored items, made and read by package item, and answers
// each request as DynamoDB does, old items of failed conditions included, so that
// the layers above run the same decisions on it. Each change writes a record to a
// table stream that tests can read, cut and deliver as they like.
//
// It keeps all it is given until it is dropped, and it never throttles, never has a
// conflict and never loses an answer: package storetest adds such faults.
package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Table is one table. Make one with New. It may be used concurrently: every request
// is one critical section.
type Table struct {
	now func() model.Time

	mu         sync.Mutex
	partitions map[string]*partition // guarded by mu
	order      []string              // their keys, sorted; guarded by mu
	tokens     map[string]sent       // guarded by mu
	stream     []Record              // guarded by mu
}

// partition is the items of one partition key in order of their sort keys. Items
// are replaced, never changed, so images and pages may share them.
type partition struct {
	sorted []string
	items  map[string]item.Item
}

// New is an empty table that takes the time from now: for record times and for how
// long a token is remembered.
func New(now func() model.Time) *Table {
	return &Table{now: now, partitions: map[string]*partition{}, tokens: map[string]sent{}}
}

// get is the stored item, nil where there is none. Callers hold mu.
func (t *Table) get(k keys.Key) item.Item {
	if p := t.partitions[k.PK]; p != nil {
		return p.items[k.SK]
	}
	return nil
}

// put stores it under its key; nil removes. Callers hold mu.
func (t *Table) put(k keys.Key, it item.Item) {
	p := t.partitions[k.PK]
	if p == nil {
		if it == nil {
			return
		}
		p = &partition{items: map[string]item.Item{}}
		t.partitions[k.PK] = p
		t.order = insert(t.order, k.PK)
	}
	switch _, there := p.items[k.SK]; {
	case it == nil && there:
		delete(p.items, k.SK)
		i, _ := slices.BinarySearch(p.sorted, k.SK)
		p.sorted = slices.Delete(p.sorted, i, i+1)
	case it != nil && !there:
		p.sorted = insert(p.sorted, k.SK)
		p.items[k.SK] = it
	case it != nil:
		p.items[k.SK] = it
	}
}

func insert(sorted []string, s string) []string {
	i, there := slices.BinarySearch(sorted, s)
	if there {
		return sorted
	}
	return slices.Insert(sorted, i, s)
}

// alive refuses a request whose context is over.
func alive(ctx context.Context, operation string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: not sent: %w", operation, err)
	}
	return nil
}
