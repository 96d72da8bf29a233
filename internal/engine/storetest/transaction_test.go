package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxEvents is how many events fit in a transaction with the latest item.
const maxEvents = 99

var transactionFacts = []fact{
	{"each of 99 failed puts returns the stored event", func(c *contract) {
		events := make([]model.Event, maxEvents)
		for i := range events {
			events[i] = reading(i, fmt.Sprint(i), "n", i)
		}
		c.written(storage.AppendTransaction{Puts: events})
		again := creation(events[0])
		again.Puts, again.PurgeLock = clones(events), nil
		for i := range again.Puts {
			again.Puts[i].Hash[0]++ // other payloads
		}
		result := c.conditionFailed(again)
		if result.LatestFailed {
			c.Error("the condition of the latest item failed, want it to hold")
		}
		for i := range events {
			c.equal(fmt.Sprint("stored ", i), result.Stored[i], &events[i])
		}
	}},
	{"a failed transaction returns each stored event at its position, and stores nothing", func(c *contract) {
		stored := reading(2, "", "n", 2)
		c.putEvents(stored)
		result := c.conditionFailed(storage.AppendTransaction{
			Puts:   []model.Event{reading(1, ""), reading(2, "", "n", 3), reading(3, "")},
			Absent: []model.EventKey{at(4, "")},
		})
		c.equal("stored", result.Stored, []*model.Event{nil, &stored, nil, nil})
		c.equal("events", c.events(wholeDay()), []model.Event{stored})
	}},
	{"an absent event is only checked", func(c *contract) {
		stored, put := reading(2, "", "n", 2), reading(1, "", "n", 1)
		c.written(storage.AppendTransaction{Puts: []model.Event{stored}, Absent: []model.EventKey{put.Key()}})
		c.equal("events", c.events(wholeDay()), []model.Event{stored})
		result := c.conditionFailed(
			storage.AppendTransaction{Puts: []model.Event{put}, Absent: []model.EventKey{stored.Key()}})
		c.equal("stored", result.Stored, []*model.Event{nil, &stored})
	}},
	{"a damaged event under the identity of a put is returned as unreadable", func(c *contract) {
		stored := reading(2, "", "n", 2)
		c.putEvents(stored)
		c.setAttr(keys.Event(stored.Key()), tablekeys.AttrHash, item.Value{Type: item.S, S: "damaged"})
		want := []*model.Event{{Series: series, Order: stored.Order, ExpiresAt: stored.ExpiresAt, Unreadable: true}}
		c.equal("stored", c.conditionFailed(storage.AppendTransaction{Puts: []model.Event{stored}}).Stored, want)
		result, err := c.table.Put(c.Context(), stored)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("stored, put alone", result.Stored, want)
	}},
	{"a repeated token returns written and writes nothing", func(c *contract) {
		tx := creation(reading(0, "", "temperature", 21))
		tx.Token = c.token
		c.written(tx)
		if err := c.table.DeleteItem(c.Context(), keys.Event(tx.Puts[0].Key())); err != nil {
			c.Fatal(err)
		}
		c.written(tx)
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
	{"a token with another transaction is an error", func(c *contract) {
		tx := creation(reading(0, "", "temperature", 21))
		tx.Token = c.token
		c.written(tx)
		other := newer(reading(1, "", "temperature", 22))
		other.Token = tx.Token
		c.malformed(other)
		c.equal("events", len(c.events(wholeDay())), 1)
	}},
	{"a token of a failed transaction may be used again", func(c *contract) {
		tx := newer(reading(1, "", "temperature", 22))
		tx.Token = c.token
		c.conditionFailed(tx)
		c.written(creation(reading(0, "", "temperature", 21)))
		c.written(tx)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"a malformed transaction is an error and stores nothing", malformedIsAnError},
	{"an identity named twice is never stored", func(c *contract) {
		e := reading(0, "a")
		for _, tx := range []storage.AppendTransaction{
			{Puts: []model.Event{e, e}},
			{Puts: []model.Event{e}, Absent: []model.EventKey{e.Key()}},
		} {
			// DynamoDB rejects the request; in DynamoDB Local the condition of the second
			// action fails.
			if result, err := c.table.Append(c.Context(), tx); err == nil && result.Result != storage.ConditionFailed {
				c.Errorf("append returns %+v, want an error or a failed condition", result)
			}
		}
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
	{"a request with an ended context is not sent", func(c *contract) {
		ctx, cancel := context.WithCancel(c.Context())
		cancel()
		e := reading(0, "")
		if result, err := c.table.Append(ctx, creation(e)); err == nil {
			c.Errorf("append returns %+v, want an error", result)
		}
		if result, err := c.table.Put(ctx, e); err == nil {
			c.Errorf("put returns %+v, want an error", result)
		}
		if written, err := c.table.PutRow(ctx, row(0), noRev); err == nil {
			c.Errorf("put row returns %v, want an error", written)
		}
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
}

func malformedIsAnError(c *contract) {
	e := reading(0, "a")
	long, big := reading(0, strings.Repeat("x", keys.MaxSortBytes)),
		reading(1, "big", "text", strings.Repeat("x", 400<<10))
	many := make([]model.EventKey, 100)
	for i := range many {
		many[i] = at(i, "many")
	}
	for name, tx := range map[string]storage.AppendTransaction{
		"nothing in it":       {},
		"101 items":           {Puts: []model.Event{e}, Absent: many},
		"a key too long":      {Puts: []model.Event{e, long}},
		"an item too large":   {Puts: []model.Event{e, big}},
		"a token of 37 bytes": {Puts: []model.Event{e}, Token: strings.Repeat("t", 37)},
	} {
		if result, err := c.table.Append(c.Context(), tx); err == nil {
			c.Errorf("%s: append returns %+v, want an error", name, result)
		}
	}
	c.equal("events", len(c.events(wholeDay())), 0)
}

// clones returns a copy that shares no memory with events.
func clones(events []model.Event) []model.Event { return append([]model.Event(nil), events...) }
