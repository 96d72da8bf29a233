package simstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of a Table's requests.
var (
	ErrCondition = errors.New("the condition failed: nothing was stored")
	ErrThrottled = errors.New("throttled: nothing was stored")
	ErrConflict  = errors.New("conflict with another transaction: nothing was stored")
	ErrUnknown   = errors.New("no response: read the item to find out whether it was stored")
)

// Table is a small simulated table. Its changes are appended to the stream of the simulation.
// Stores with their own data structures call Sim.Read, Sim.Write and Stream.Append instead.
type Table struct {
	// Expires is the attribute of TTL, in epoch seconds; "" means none.
	Expires string

	sim   *Sim
	names []string // key attributes; the first is the partition key
	items map[string]item.Item
}

// NewTable returns an empty table with a primary key of the named string attributes.
func NewTable(s *Sim, keyAttributes ...string) *Table {
	return &Table{sim: s, names: keyAttributes, items: map[string]item.Item{}}
}

// Write is a conditional change of one item.
type Write struct {
	Key []string
	// Change returns the new item for the stored one, which is nil if it does not exist. It returns nil to
	// remove the item, and ErrCondition to change nothing. It must not modify old.
	Change func(old item.Item) (item.Item, error)
}

// Get reads one item consistently. It returns nil if the item does not exist.
func (t *Table) Get(ctx context.Context, key ...string) (found item.Item, err error) {
	err = t.sim.Read(ctx, t.request("reads", key), func() error {
		found = maps.Clone(t.items[joinKey(key)])
		return nil
	})
	return found, err
}

// Query reads the items of a partition consistently, in order of their keys.
func (t *Table) Query(ctx context.Context, partition string) (found []item.Item, err error) {
	err = t.sim.Read(ctx, t.request("queries", []string{partition}), func() error {
		found = t.All(partition)
		return nil
	})
	return found, err
}

// Update changes one item.
func (t *Table) Update(ctx context.Context, w Write) error { return t.Transact(ctx, w) }

// Put stores an item and replaces the previous one.
func (t *Table) Put(ctx context.Context, it item.Item) error {
	return t.Update(ctx, Write{t.itemKey(it), func(item.Item) (item.Item, error) { return it, nil }})
}

// Delete removes an item.
func (t *Table) Delete(ctx context.Context, key ...string) error {
	return t.Update(ctx, Write{key, func(item.Item) (item.Item, error) { return nil, nil }})
}

// Transact changes all items or none.
func (t *Table) Transact(ctx context.Context, writes ...Write) error {
	var failed error
	r := Request{Verb: "writes", Of: keyName(joinKeys(writes)),
		Keys: lists.Map(writes, func(w Write) string { return w.Key[0] })}
	result, err := t.sim.Write(ctx, r, func() (storage.WriteResult, error) {
		if failed = t.apply(ctx, writes); failed != nil {
			return storage.ConditionFailed, nil
		}
		return storage.Written, nil
	})
	if err != nil {
		return err
	}
	return map[storage.WriteResult]error{
		storage.ConditionFailed: failed, storage.Throttled: ErrThrottled, storage.Conflicted: ErrConflict,
		storage.Unknown: ErrUnknown,
	}[result]
}

// All returns the items of a partition in order of their keys, without a request. It is for checks.
func (t *Table) All(partition string) []item.Item {
	var found []item.Item
	for _, name := range slices.Sorted(maps.Keys(t.items)) {
		if t.itemKey(t.items[name])[0] == partition {
			found = append(found, maps.Clone(t.items[name]))
		}
	}
	return found
}

func (t *Table) apply(ctx context.Context, writes []Write) error {
	images := make([]item.Item, len(writes))
	for i, w := range writes {
		image, err := w.Change(maps.Clone(t.items[joinKey(w.Key)]))
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

// change stores an image and appends its record, if it differs from the stored item.
func (t *Table) change(who string, key []string, image item.Item, expired bool) {
	name := joinKey(key)
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
	t.sim.Publish(who, c)
}

// Publish writes a change that who made into the trace, and its record into the table stream.
func (s *Sim) Publish(who string, c Change) {
	s.Trace(who, c)
	s.Stream.Append(c)
}

// Trace writes a change that who made into the trace.
func (s *Sim) Trace(who string, c Change) { s.Logf(who, "%s%s", &c, itemText(c.New)) }

// expireLater schedules the removal of the item by TTL.
func (t *Table) expireLater(key []string, image item.Item) {
	at, err := strconv.ParseInt(image[t.Expires].S, 10, 64)
	if t.Expires == "" || err != nil {
		return
	}
	t.sim.Expire(joinKey(key), at, func() {
		now, err := strconv.ParseInt(t.items[joinKey(key)][t.Expires].S, 10, 64)
		if err == nil && now <= t.sim.Now().Seconds() {
			t.change("TTL:", key, nil, true)
		}
	})
}

func (t *Table) itemKey(it item.Item) []string {
	return lists.Map(t.names, func(attribute string) string { return it[attribute].S })
}

func (t *Table) request(verb string, key []string) Request {
	return Request{Verb: verb, Of: keyName{joinKey(key)}, Keys: key[:1]}
}

func joinKey(key []string) string { return strings.Join(key, " ") }

// keyName is keys as in a trace.
type keyName []string

func (k keyName) String() string { return strings.Join(k, ", ") }

func joinKeys(writes []Write) []string {
	return lists.Map(writes, func(w Write) string { return joinKey(w.Key) })
}

func sameValue(a, b item.Value) bool {
	return a.Type == b.Type && a.S == b.S && a.Bool == b.Bool && string(a.B) == string(b.B)
}

// itemText returns the attributes of an item, for a trace.
func itemText(it item.Item) string {
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

// Expire simulates TTL for an item: sweep is called some time after at, in epoch seconds, or
// never. sweep must check that the item is still expired. item names the item in any form.
func (s *Sim) Expire(item string, at int64, sweep func()) {
	s.expiries[item]++
	dice := s.dice.Part("expiry "+item, s.expiries[item])
	if s.strikes(dice, ExpiresNever) {
		s.logFault("", ExpiresNever, "%s", item)
		return
	}
	late := time.Duration(0)
	if s.strikes(dice, ExpiresLate) {
		late = dice.Span("late",
			[]time.Duration{5 * time.Minute, 48 * time.Hour, 10 * 24 * time.Hour}[dice.Pick("how late", 3)])
	}
	s.At(model.Time(at*1000).Add(late), sweep)
}

// Unsigned chooses whether the record of an expiry omits the identity of TTL.
func (s *Sim) Unsigned(item string) bool {
	return s.strikes(s.dice.Part("unsigned "+item, s.expiries[item]), ExpiresUnsigned)
}
