package storetest

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var putFacts = []fact{
	{"an event is put once, and the one that is there comes back", func(c *contract) {
		e := reading(0, "a", "temperature", 21)
		c.stored(e)
		for _, again := range []model.Event{e, reading(0, "a", "temperature", 22)} {
			reply, err := c.table.Put(c.Context(), again)
			if err != nil || reply.Answer != model.Refused {
				c.Fatalf("put answers %v, %v; want refused", reply.Answer, err)
			}
			c.equal("stored", reply.Stored, []*model.Event{&e})
		}
		c.equal("events", c.events(wholeDay()), []model.Event{e})
	}},
	{"a put leaves current alone", func(c *contract) {
		c.stored(reading(0, ""))
		if current, err := c.table.Current(c.Context(), series, true); current != nil || err != nil {
			c.Errorf("current is %v, %v; want none", current, err)
		}
	}},
	{"an event that no item can hold is an error", func(c *contract) {
		for name, e := range map[string]model.Event{
			"a key too long":    reading(0, strings.Repeat("x", keys.MaxSortBytes)),
			"an item too large": reading(0, "", "text", strings.Repeat("x", 400<<10)),
		} {
			if reply, err := c.table.Put(c.Context(), e); err == nil {
				c.Errorf("%s: put answers %+v, want an error", name, reply)
			}
		}
	}},
	{"what is in quarantine stays as it came first", func(c *contract) {
		q := model.Quarantined{
			ID: "01", Door: "iot", Subject: sensor, Reason: "no time",
			Errors:  []model.FieldError{{Field: "timestamp", Code: "missing", Message: "the time is missing"}},
			Payload: []byte("{\x00}"), ArrivedAt: noon, ExpiresAt: minute(60).Seconds(),
		}
		again := q
		again.Reason = "another"
		for _, put := range []model.Quarantined{q, q, again} {
			if answer, err := c.table.Quarantine(c.Context(), put); err != nil || answer != model.Written {
				c.Fatalf("quarantine answers %v, %v; want written", answer, err)
			}
		}
		it, err := c.table.GetItem(c.Context(), keys.Quarantine(q))
		if err != nil {
			c.Fatal(err)
		}
		kept, err := item.Quarantined(it)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("kept", kept, q)
	}},
	{"what has no known subject is kept by its door", func(c *contract) {
		for _, id := range []string{"01", "02"} {
			if answer, err := c.table.Quarantine(c.Context(), model.Quarantined{ID: id, Door: "stream"}); err != nil || answer != model.Written {
				c.Fatalf("quarantine answers %v, %v; want written", answer, err)
			}
		}
		c.equal("items", len(c.scan()), 2)
	}},
}
