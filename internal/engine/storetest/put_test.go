package storetest

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var putFacts = []fact{
	{"an event is put once, and a second put returns the stored event", func(c *contract) {
		e := reading(0, "a", "temperature", 21)
		c.putEvents(e)
		for _, again := range []model.Event{e, reading(0, "a", "temperature", 22)} {
			result, err := c.table.Put(c.Context(), again)
			if err != nil || result.Result != storage.ConditionFailed {
				c.Fatalf("put returns %v, %v; want condition failed", result.Result, err)
			}
			c.equal("stored", result.Stored, []*model.Event{&e})
		}
		c.equal("events", c.events(wholeDay()), []model.Event{e})
	}},
	{"a put does not create a latest item", func(c *contract) {
		c.putEvents(reading(0, ""))
		if latest, err := c.table.Latest(c.Context(), series, true); latest != nil || err != nil {
			c.Errorf("latest item is %v, %v; want none", latest, err)
		}
	}},
	{"an event that exceeds the limits of an item is an error", func(c *contract) {
		for name, e := range map[string]model.Event{
			"a key too long":    reading(0, strings.Repeat("x", keys.MaxSortBytes)),
			"an item too large": reading(0, "", "text", strings.Repeat("x", 400<<10)),
		} {
			if result, err := c.table.Put(c.Context(), e); err == nil {
				c.Errorf("%s: put returns %+v, want an error", name, result)
			}
		}
	}},
	{"a repeated quarantine keeps the first item", func(c *contract) {
		q := storage.Quarantined{
			ID: "01", Source: "iot", Subject: sensor, Reason: "no time",
			Errors:  []model.FieldError{{Field: "timestamp", Code: "missing", Message: "the time is missing"}},
			Payload: []byte("{\x00}"), ArrivedAt: noon, ExpiresAt: minute(60).Seconds(),
		}
		again := q
		again.Reason = "another"
		for _, put := range []storage.Quarantined{q, q, again} {
			if result, err := c.table.Quarantine(c.Context(), put); err != nil || result != storage.Written {
				c.Fatalf("quarantine returns %v, %v; want written", result, err)
			}
		}
		it, err := c.table.GetItem(c.Context(), tablekeys.Quarantine(q))
		if err != nil {
			c.Fatal(err)
		}
		stored, err := item.Quarantined(it)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("stored", stored, q)
	}},
	{"an item without a known subject is stored by its source", func(c *contract) {
		for _, id := range []string{"01", "02"} {
			if result, err := c.table.Quarantine(c.Context(),
				storage.Quarantined{ID: id, Source: "stream"}); err != nil || result != storage.Written {
				c.Fatalf("quarantine returns %v, %v; want written", result, err)
			}
		}
		c.equal("items", len(c.scan()), 2)
	}},
}
