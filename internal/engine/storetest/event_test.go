package storetest

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var eventFacts = []fact{
	{"an event is read as it was put", func(c *contract) {
		for _, e := range []model.Event{
			reading(0, ""),
			reading(1, "id # % \u00e9 \U0001F30A", "size", 10, "name", "", "#:.[]", "x", "flag", true, "nothing", nil),
			withNumbers(2, "0", "-0.000001", "1e125", "-1e-130", "99999999999999999999999999999999999999", "0.1",
				"1e38", "123456789.123456789"),
		} {
			c.putEvents(e)
			c.equal("event", c.events(storage.Range{Series: series, From: e.At, To: e.At + 1}), []model.Event{e})
		}
	}},
	{"events of the first and the last year are found", func(c *contract) {
		for _, at := range []model.Time{model.MinTime, -1, 0, model.MaxTime} {
			e := reading(0, "")
			e.At = at
			c.putEvents(e)
			c.equal("events", identities(c.events(storage.Range{Series: series, From: at, To: at + 1})),
				identities([]model.Event{e}))
		}
		c.equal("events", len(c.events(storage.Range{Series: series, From: model.MinTime, To: model.MaxTime + 1})),
			4)
	}},
	{"an expired event is returned until it is removed", func(c *contract) {
		e := reading(0, "", "n", 1)
		e.ExpiresAt = 1
		c.putEvents(e)
		c.equal("events", c.events(wholeDay()), []model.Event{e})
	}},
	{"an event that cannot be decoded is returned as unreadable, with all others", func(c *contract) {
		damage := []struct {
			name  string
			value item.Value
		}{
			{tablekeys.AttrHash, item.Value{Type: item.S, S: "x"}},
			{tablekeys.AttrArrivedAt, item.Value{Type: item.S, S: "yesterday"}},
			{keys.AttrVersion, item.Value{Type: item.N, S: "99"}},
			{"temperature", item.Value{Type: item.B, B: []byte{1}}},
		}
		for i, d := range damage {
			e := reading(i, "", "temperature", 21)
			c.putEvents(e)
			c.setAttr(keys.Event(e.Key()), d.name, d.value)
		}
		intact := reading(9, "", "temperature", 21)
		c.putEvents(intact)
		events := c.events(wholeDay())
		if len(events) != len(damage)+1 {
			c.Fatalf("%d events, want %d", len(events), len(damage)+1)
		}
		for i, d := range damage {
			want := reading(i, "")
			c.equal(d.name, events[i],
				model.Event{Series: series, Order: want.Order, ExpiresAt: want.ExpiresAt, Unreadable: true})
		}
		c.equal("the intact one", events[len(damage)], intact)
	}},
	{"an item whose key is not an event's is skipped", func(c *contract) {
		e := reading(0, "")
		c.putEvents(e)
		foreign := keys.Event(e.Key())
		foreign.SK = strings.TrimSuffix(foreign.SK, "#") + "!"
		c.setAttr(foreign, "n", item.Value{Type: item.N, S: "1"})
		c.equal("items", len(c.scan()), 2)
		c.equal("events", c.events(storage.Range{Series: series, From: minute(0), To: minute(1)}), []model.Event{e})
	}},
}

// withNumbers returns a reading with numbers in forms that a table could change.
func withNumbers(n int, texts ...string) model.Event {
	e := reading(n, "")
	for _, text := range texts {
		e.Attrs = append(e.Attrs, model.Attr{Name: "n" + text, Value: model.NumberValue(model.MustDecimal(text))})
	}
	e.Attrs.Sort()
	e.Hash = model.HashAttrs(e.Attrs)
	return e
}
