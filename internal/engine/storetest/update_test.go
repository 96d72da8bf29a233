package storetest

import (
	"context"
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func (c *contract) update(want storage.WriteResult, a itemop.Action) {
	c.Helper()
	if result, err := c.table.(aggregate.LatestStore).Update(c.Context(), a); err != nil || result != want {
		c.Fatalf("update returns %v, %v; want %v", result, err, want)
	}
}

// The single writes of latest items that are derived from events.
var updateFacts = []fact{
	{"an update sets and removes the attributes that it names", func(c *contract) {
		k := testKey("p", "a")
		c.update(storage.Written, itemop.Action{Key: k, Set: attrs("n", 1, "kept", "x", "gone", true)})
		c.update(storage.Written, itemop.Action{Key: k, Set: attrs("n", 2), Remove: []string{"gone", "none"}})
		c.itemAt(k, testItem(k, "n", 2, "kept", "x"))
		c.update(storage.Written, itemop.Action{Key: k, Remove: []string{"kept"}})
		c.itemAt(k, testItem(k, "n", 2))
	}},
	{"an update is carried out only if its precondition holds", func(c *contract) {
		k := testKey("p", "a")
		absent := itemop.Requirement{Op: itemop.AttrAbsent, Attr: "rev"}
		c.update(storage.Written,
			itemop.Action{Key: k, Precondition: itemop.Precondition{absent}, Set: attrs("rev", 1)})
		c.update(storage.ConditionFailed,
			itemop.Action{Key: k, Precondition: itemop.Precondition{absent}, Set: attrs("rev", 2)})
		c.update(storage.ConditionFailed,
			itemop.Action{Key: k, Precondition: itemop.Precondition{attrEquals("rev", 3)}, Set: attrs("rev", 2)})
		c.itemAt(k, testItem(k, "rev", 1))
		c.update(storage.Written,
			itemop.Action{Key: k, Precondition: itemop.Precondition{attrEquals("rev", 1)}, Set: attrs("rev", 2)})
		c.itemAt(k, testItem(k, "rev", 2))
	}},
	{"an update over the size of an item changes nothing", func(c *contract) {
		k, half := testKey("p", "a"), strings.Repeat("x", 250<<10)
		c.update(storage.Written, itemop.Action{Key: k, Set: attrs("first", half)})
		_, err := c.table.(aggregate.LatestStore).Update(c.Context(),
			itemop.Action{Key: k, Set: attrs("second", half)})
		if !errors.Is(err, storage.ErrTooLarge) {
			c.Errorf("error %v, want %v", err, storage.ErrTooLarge)
		}
		c.itemAt(k, testItem(k, "first", half))
	}},
	{"an update without a change, or after its context has ended, is an error", func(c *contract) {
		store, k := c.table.(aggregate.LatestStore), testKey("p", "a")
		if result, err := store.Update(c.Context(), itemop.Action{Key: k}); err == nil {
			c.Errorf("no change: %v, want an error", result)
		}
		ended, cancel := context.WithCancel(c.Context())
		cancel()
		if result, err := store.Update(ended, itemop.Action{Key: k, Set: attrs("n", 1)}); err == nil &&
			result == storage.Written {
			c.Error("written after the context has ended")
		}
		c.itemAt(k, nil)
	}},
	{"a late event is not stored again if the latest item is of it", func(c *contract) {
		e, other := reading(0, "", "temperature", 21), reading(1, "", "temperature", 22)
		c.written(creation(e))
		again := func(e model.Event) storage.AppendTransaction {
			return storage.AppendTransaction{Check: &storage.LatestCheck{Series: series, Not: &e.Order},
				Puts: []model.Event{e}}
		}
		if _, err := c.table.DeleteEvent(c.Context(), at(0, ""), noon); err != nil {
			c.Fatal(err)
		}
		result, err := c.table.Append(c.Context(), again(e))
		if err != nil || result.Result != storage.ConditionFailed || !result.LatestFailed || result.Latest == nil ||
			result.Latest.Order != e.Order {
			c.Errorf("the event of the latest item: %+v, %v; want its condition failed", result, err)
		}
		c.written(again(other))
	}},
}
