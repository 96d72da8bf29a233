package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// mostEvents are what a transaction holds beside current.
const mostEvents = 99

var transactionFacts = []fact{
	{"each of 99 puts answers with the event it met", func(c *contract) {
		events := make([]model.Event, mostEvents)
		for i := range events {
			events[i] = reading(i, fmt.Sprint(i), "n", i)
		}
		c.written(ingest.Transaction{Puts: events})
		again := creation(events[0])
		again.Puts, again.Gate = clones(events), nil
		for i := range again.Puts {
			again.Puts[i].Hash[0]++ // other payloads
		}
		reply := c.refused(again)
		if reply.CurrentFailed {
			c.Error("current's condition held, the reply says it failed")
		}
		for i := range events {
			c.equal(fmt.Sprint("stored ", i), reply.Stored[i], &events[i])
		}
	}},
	{"a refusal names what failed at its place, and stores nothing", func(c *contract) {
		there := reading(2, "", "n", 2)
		c.stored(there)
		reply := c.refused(ingest.Transaction{
			Puts:   []model.Event{reading(1, ""), reading(2, "", "n", 3), reading(3, "")},
			Absent: []model.EventKey{at(4, "")},
		})
		c.equal("stored", reply.Stored, []*model.Event{nil, &there, nil, nil})
		c.equal("events", c.events(wholeDay()), []model.Event{there})
	}},
	{"an absent is only looked at", func(c *contract) {
		there, put := reading(2, "", "n", 2), reading(1, "", "n", 1)
		c.written(ingest.Transaction{Puts: []model.Event{there}, Absent: []model.EventKey{put.Key()}})
		c.equal("events", c.events(wholeDay()), []model.Event{there})
		reply := c.refused(ingest.Transaction{Puts: []model.Event{put}, Absent: []model.EventKey{there.Key()}})
		c.equal("stored", reply.Stored, []*model.Event{nil, &there})
	}},
	{"what is stored under a put's identity and cannot be read is shown unreadable", func(c *contract) {
		there := reading(2, "", "n", 2)
		c.stored(there)
		c.enriched(keys.Event(there.Key()), keys.AttrHash, item.Value{Type: item.S, S: "damaged"})
		want := []*model.Event{{Series: series, Order: there.Order, ExpiresAt: there.ExpiresAt, Unreadable: true}}
		c.equal("stored", c.refused(ingest.Transaction{Puts: []model.Event{there}}).Stored, want)
		reply, err := c.table.Put(c.Context(), there)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("stored, put alone", reply.Stored, want)
	}},
	{"a token that comes again answers written and writes nothing more", func(c *contract) {
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
	{"a token of a refused transaction may come again", func(c *contract) {
		tx := newer(reading(1, "", "temperature", 22))
		tx.Token = c.token
		c.refused(tx)
		c.written(creation(reading(0, "", "temperature", 21)))
		c.written(tx)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"a malformed transaction is an error and stores nothing", malformedIsAnError},
	{"an identity named twice is never stored", func(c *contract) {
		e := reading(0, "a")
		for _, tx := range []ingest.Transaction{
			{Puts: []model.Event{e, e}},
			{Puts: []model.Event{e}, Absent: []model.EventKey{e.Key()}},
		} {
			// The service calls it malformed; DynamoDB Local has the second of the two
			// meet the first.
			if reply, err := c.table.Append(c.Context(), tx); err == nil && reply.Answer != model.Refused {
				c.Errorf("append answers %+v, want an error or a refusal", reply)
			}
		}
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
	{"a context that is over sends nothing", func(c *contract) {
		ctx, cancel := context.WithCancel(c.Context())
		cancel()
		e := reading(0, "")
		if reply, err := c.table.Append(ctx, creation(e)); err == nil {
			c.Errorf("append answers %+v, want an error", reply)
		}
		if reply, err := c.table.Put(ctx, e); err == nil {
			c.Errorf("put answers %+v, want an error", reply)
		}
		if answer, err := c.table.PutRow(ctx, row(0), none); err == nil {
			c.Errorf("put row answers %v, want an error", answer)
		}
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
}

func malformedIsAnError(c *contract) {
	e := reading(0, "a")
	long, big := reading(0, strings.Repeat("x", keys.MaxSortBytes)), reading(1, "big", "text", strings.Repeat("x", 400<<10))
	many := make([]model.EventKey, 100)
	for i := range many {
		many[i] = at(i, "many")
	}
	for name, tx := range map[string]ingest.Transaction{
		"nothing in it":       {},
		"101 items":           {Puts: []model.Event{e}, Absent: many},
		"a key too long":      {Puts: []model.Event{e, long}},
		"an item too large":   {Puts: []model.Event{e, big}},
		"a token of 37 bytes": {Puts: []model.Event{e}, Token: strings.Repeat("t", 37)},
	} {
		if reply, err := c.table.Append(c.Context(), tx); err == nil {
			c.Errorf("%s: append answers %+v, want an error", name, reply)
		}
	}
	c.equal("events", len(c.events(wholeDay())), 0)
}

// clones shares no memory with events.
func clones(events []model.Event) []model.Event { return append([]model.Event(nil), events...) }
