package streamtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// Errors of a Table's requests.
var (
	ErrCondition = errors.New("the condition failed: nothing was stored")
	ErrThrottled = errors.New("throttled: nothing was stored")
	ErrConflict  = errors.New("another transaction was under way: nothing was stored")
	ErrUnknown   = errors.New("no answer: stored or not, only a look can tell")
)

// Table is a small simulated table for any handler: items of strings, numbers and
// binaries under a primary key, whose changes go to the simulation's table stream. A
// store of your own can do without it: it calls Sim.Read, Sim.Write and Stream.Append
// itself.
type Table struct {
	// Expires names the attribute of TTL, epoch seconds; "" for none.
	Expires string

	sim   *Sim
	names []string // of the key's attributes; the first is the partition key
	items map[string]item.Item
}

// NewTable is an empty table whose primary key is made of the attributes named, which
// are strings.
func NewTable(s *Sim, keyAttributes ...string) *Table {
	return &Table{sim: s, names: keyAttributes, items: map[string]item.Item{}}
}

// Write is a change of one item, under a condition that the change itself makes.
type Write struct {
	Key []string
	// Change is given the item as it stands, nil where there is none, and answers what
	// it becomes, nil to remove it. ErrCondition leaves it. It must not change what it
	// is given.
	Change func(old item.Item) (item.Item, error)
}

// Get is a consistent read of one item; nil where there is none.
func (t *Table) Get(ctx context.Context, key ...string) (found item.Item, err error) {
	err = t.sim.Read(ctx, t.request("reads", key), func() error {
		found = maps.Clone(t.items[nameOf(key)])
		return nil
	})
	return found, err
}

// Query is a consistent read of the items under a partition key, in order of their
// keys.
func (t *Table) Query(ctx context.Context, partition string) (found []item.Item, err error) {
	err = t.sim.Read(ctx, t.request("queries", []string{partition}), func() error {
		found = t.All(partition)
		return nil
	})
	return found, err
}

// Update changes one item.
func (t *Table) Update(ctx context.Context, w Write) error { return t.Transact(ctx, w) }

// Put stores an item whatever was there.
func (t *Table) Put(ctx context.Context, it item.Item) error {
	return t.Update(ctx, Write{t.keyOf(it), func(item.Item) (item.Item, error) { return it, nil }})
}

// Delete removes an item.
func (t *Table) Delete(ctx context.Context, key ...string) error {
	return t.Update(ctx, Write{key, func(item.Item) (item.Item, error) { return nil, nil }})
}

// Transact changes all items or none.
func (t *Table) Transact(ctx context.Context, writes ...Write) error {
	var failed error
	r := Request{Verb: "writes", Of: keyName(keysOf(writes))}
	for _, w := range writes {
		r.Keys = append(r.Keys, w.Key[0])
	}
	answer, err := t.sim.Write(ctx, r, func() (storage.WriteResult, error) {
		if failed = t.apply(ctx, writes); failed != nil {
			return storage.ConditionFailed, nil
		}
		return storage.Written, nil
	})
	if err != nil {
		return err
	}
	return map[storage.WriteResult]error{
		storage.ConditionFailed: failed, storage.Throttled: ErrThrottled, storage.Conflicted: ErrConflict, storage.Unknown: ErrUnknown,
	}[answer]
}

// All are the items under a partition key as they stand, in order of their keys,
// without a request: for checks.
func (t *Table) All(partition string) []item.Item {
	var found []item.Item
	for _, name := range slices.Sorted(maps.Keys(t.items)) {
		if t.keyOf(t.items[name])[0] == partition {
			found = append(found, maps.Clone(t.items[name]))
		}
	}
	return found
}

func (t *Table) apply(ctx context.Context, writes []Write) error {
	images := make([]item.Item, len(writes))
	for i, w := range writes {
		image, err := w.Change(maps.Clone(t.items[nameOf(w.Key)]))
		if err != nil {
			return err
		}
		images[i] = maps.Clone(image)
	}
	for i, w := range writes {
		for n, attribute := range t.names {
			if images[i] != nil {
				images[i][attribute] = item.Value{Type: item.S, S: w.Key[n]}
			}
		}
		t.change(t.sim.Who(ctx), w.Key, images[i], false)
	}
	return nil
}

// change stores an image and appends the record of it, where anything is other than
// it was.
func (t *Table) change(who string, key []string, image item.Item, expired bool) {
	name := nameOf(key)
	old := t.items[name]
	if maps.EqualFunc(old, image, sameValue) && (old == nil) == (image == nil) {
		return
	}
	if image == nil {
		delete(t.items, name)
	} else {
		t.items[name] = image
		t.expireLater(key, image)
	}
	c := Change{Partition: key[0], Item: name, Keys: item.Item{}, Old: old, New: image}
	if expired {
		c.Expired, c.Unsigned = true, t.sim.Unsigned(name)
	}
	for n, attribute := range t.names {
		c.Keys[attribute] = item.Value{Type: item.S, S: key[n]}
	}
	t.sim.Tell(who, "%s%s", &c, told(image))
	t.sim.Stream.Append(c)
}

// expireLater has TTL remove the item in its time, unless it lives longer by then.
func (t *Table) expireLater(key []string, image item.Item) {
	at, err := strconv.ParseInt(image[t.Expires].S, 10, 64)
	if t.Expires == "" || err != nil {
		return
	}
	t.sim.Expire(nameOf(key), at, func() {
		now, err := strconv.ParseInt(t.items[nameOf(key)][t.Expires].S, 10, 64)
		if err == nil && now <= t.sim.Now().Seconds() {
			t.change("TTL:", key, nil, true)
		}
	})
}

func (t *Table) keyOf(it item.Item) []string {
	key := make([]string, len(t.names))
	for i, attribute := range t.names {
		key[i] = it[attribute].S
	}
	return key
}

func (t *Table) request(verb string, key []string) Request {
	return Request{Verb: verb, Of: keyName{nameOf(key)}, Keys: key[:1]}
}

func nameOf(key []string) string { return strings.Join(key, " ") }

// keyName are keys as a story names them.
type keyName []string

func (k keyName) String() string { return strings.Join(k, ", ") }

func keysOf(writes []Write) (names []string) {
	for _, w := range writes {
		names = append(names, nameOf(w.Key))
	}
	return names
}

func sameValue(a, b item.Value) bool {
	return a.Type == b.Type && a.S == b.S && a.Bool == b.Bool && string(a.B) == string(b.B)
}

// told is what an item holds, for a story.
func told(it item.Item) string {
	if it == nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(it)) {
		if v := it[name]; v.Type == item.N || v.Type == item.S {
			parts = append(parts, fmt.Sprintf("%s=%s", name, v.S))
		}
	}
	return " {" + strings.Join(parts, " ") + "}"
}
