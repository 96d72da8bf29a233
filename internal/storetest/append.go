package storetest

import (
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var appendFacts = []fact{
	{"creation writes current and event together", func(c *contract) {
		e := reading(0, "a", "temperature", 21, "location", "hall")
		c.written(creation(e))
		c.equal("current", c.current(), model.Current{
			Series: series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt,
		})
		c.equal("events", c.events(wholeDay()), []model.Event{e})
	}},
	{"creation is refused where an event made current, and current comes back", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		reply := c.refused(creation(reading(5, "", "temperature", 22)))
		c.equal("refusal", reply, ingest.Reply{
			Answer: model.Refused, CurrentFailed: true, Current: new(c.current()), Stored: []*model.Event{nil},
		})
		c.equal("events", identities(c.events(wholeDay())), identities([]model.Event{e}))
	}},
	{"creation takes over what enrichment alone made", func(c *contract) {
		c.enriched(keys.Current(series), "account", item.Value{Type: item.S, S: "acme"})
		if before := c.current(); before.Ordered {
			c.Errorf("an item of enrichment alone says it is ordered: %+v", before)
		}
		e := reading(0, "", "temperature", 21)
		if reply := c.refused(newer(e)); reply.Current == nil || reply.Current.Ordered {
			c.Errorf("an ordinary append shows current %+v, want one without order", reply.Current)
		}
		c.written(creation(e))
		after := c.current()
		c.equal("fields", after.Attrs, fieldsOf("account", "acme", "temperature", 21))
		c.equal("created at", after.CreatedAt, e.ArrivedAt)
	}},
	{"an ordinary append without any item is refused without current", func(c *contract) {
		reply := c.refused(newer(reading(0, "", "temperature", 21)))
		if !reply.CurrentFailed || reply.Current != nil {
			c.Errorf("refusal is %+v, want current failed and none shown", reply)
		}
	}},
	{"an append that takes either creates, and moves on", func(c *contract) {
		either := func(e model.Event) ingest.Transaction {
			tx := newer(e)
			tx.Current.OrCreate, tx.Gate = true, &sensor
			return tx
		}
		c.enriched(keys.Current(series), "account", item.Value{Type: item.S, S: "acme"})
		c.written(either(reading(0, "b", "temperature", 21)))
		c.written(either(reading(5, "", "temperature", 22)))
		for _, old := range []model.Event{reading(5, "", "x", 1), reading(1, "", "x", 1)} {
			if reply := c.refused(either(old)); !reply.CurrentFailed || reply.Current.At != minute(5) {
				c.Errorf("refusal is %+v, want current of minute 5 failed", reply)
			}
		}
		c.equal("fields", c.current().Attrs, fieldsOf("account", "acme", "temperature", 22))
	}},
	{"only an order after current's is written", onlyNewerIsWritten},
	{"the condition compares with the first high, and the last is written", func(c *contract) {
		c.written(creation(reading(0, "", "a", 1)))
		c.written(newer(reading(1, "", "a", 2, "b", 2), reading(3, "", "c", 3)))
		current := c.current()
		c.equal("order", current.Order, model.Order{At: minute(3)})
		c.equal("fields", current.Attrs, fieldsOf("a", 2, "b", 2, "c", 3))
		reply := c.refused(newer(reading(2, "", "a", 4), reading(9, "", "a", 5)))
		c.equal("order of the current that refused", reply.Current.Order, model.Order{At: minute(3)})
	}},
	{"what an append does not name stays: older fields, enrichment, creation time", func(c *contract) {
		first := reading(0, "", "temperature", 21, "battery", 90)
		c.written(creation(first))
		c.enriched(keys.Current(series), "account", item.Value{Type: item.S, S: "acme"})
		c.written(newer(reading(1, "", "temperature", 22)))
		after := c.current()
		c.equal("fields", after.Attrs, fieldsOf("account", "acme", "battery", 90, "temperature", 22))
		c.equal("created at", after.CreatedAt, first.ArrivedAt)
	}},
	{"a fence refuses the change of current, and is shown", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		c.enriched(keys.Current(series), keys.AttrFence, item.Value{Type: item.Bool, Bool: true})
		reply := c.refused(newer(reading(1, "", "temperature", 22)))
		if !reply.CurrentFailed || reply.Current == nil || !reply.Current.Fenced {
			c.Errorf("refusal is %+v, want current failed and fenced", reply)
		}
	}},
	{"a fence refuses creation", func(c *contract) {
		c.enriched(keys.Current(series), keys.AttrFence, item.Value{Type: item.Bool, Bool: true})
		reply := c.refused(creation(reading(1, "", "temperature", 22)))
		if !reply.CurrentFailed || reply.Current == nil || !reply.Current.Fenced {
			c.Errorf("refusal is %+v, want current failed and fenced", reply)
		}
	}},
	{"a gate refuses creation, and nothing is stored", func(c *contract) {
		c.enriched(keys.Gate(sensor), "_since", item.Value{Type: item.S, S: noon.String()})
		reply := c.refused(creation(reading(0, "", "temperature", 21)))
		c.equal("refusal", reply, ingest.Reply{Answer: model.Refused, GateFailed: true, Stored: []*model.Event{nil}})
		current, err := c.table.Current(c.Context(), series, true)
		if current != nil || err != nil || len(c.events(wholeDay())) != 0 {
			c.Errorf("current is %v, %v and there are events; want nothing", current, err)
		}
	}},
	{"series of a subject keep their own current", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		status := reading(1, "", "temperature", 4)
		status.Series.Stream = "status"
		c.written(creation(status))
		c.equal("current of the plain stream", c.current().Order, model.Order{At: minute(5)})
	}},
	{"a current of a newer version is told, never guessed at", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		c.enriched(keys.Current(series), keys.AttrVersion, item.Value{Type: item.N, S: "99"})
		c.malformed(newer(reading(1, "", "temperature", 22)))
		if current, err := c.table.Current(c.Context(), series, true); err == nil {
			c.Errorf("current is read as %+v, want an error", current)
		}
	}},
}

// onlyNewerIsWritten appends against a current at minute 5, id m.
func onlyNewerIsWritten(c *contract) {
	c.written(creation(reading(5, "m", "temperature", 21)))
	for _, e := range []model.Event{
		reading(4, "m"), reading(4, "z"), reading(5, ""), reading(5, "M"), reading(5, "l\xf0\x9f\x8c\x8a"), reading(5, "m"),
	} {
		reply := c.refused(newer(e))
		if !reply.CurrentFailed || reply.Current.Order != (model.Order{At: minute(5), ID: "m"}) {
			c.Errorf("%v: refusal is %+v, want current at minute 5, m", e.Order, reply)
		}
	}
	for _, e := range []model.Event{reading(5, "m0"), reading(5, "n"), reading(5, "é"), reading(6, ""), reading(7, "A")} {
		c.written(newer(e))
		c.equal("order", c.current().Order, e.Order)
	}
}
