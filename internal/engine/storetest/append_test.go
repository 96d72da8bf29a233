package storetest

import (
	"errors"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var appendFacts = []fact{
	{"a creation writes the latest item and the event together", func(c *contract) {
		e := reading(0, "a", "temperature", 21, "location", "hall")
		c.written(creation(e))
		c.equal("latest", c.latest(), model.Latest{
			Series: series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt,
		})
		c.equal("events", c.events(wholeDay()), []model.Event{e})
	}},
	{"a creation fails if the latest item has an event, and returns the item", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		result := c.conditionFailed(creation(reading(5, "", "temperature", 22)))
		c.equal("result", result, storage.StoreResult{
			Result: storage.ConditionFailed, LatestFailed: true, Latest: new(c.latest()), Stored: []*model.Event{nil},
		})
		c.equal("events", identities(c.events(wholeDay())), identities([]model.Event{e}))
	}},
	{"a creation keeps the enrichment of an item without an event", func(c *contract) {
		c.setAttr(keys.Latest(series), "account", item.Value{Type: item.S, S: "acme"})
		if before := c.latest(); before.Ordered {
			c.Errorf("an item with only enrichment is ordered: %+v", before)
		}
		e := reading(0, "", "temperature", 21)
		if result := c.conditionFailed(newer(e)); result.Latest == nil || result.Latest.Ordered {
			c.Errorf("a failed append returns the latest item %+v, want one without order", result.Latest)
		}
		c.written(creation(e))
		after := c.latest()
		c.equal("fields", after.Attrs, newFields("account", "acme", "temperature", 21))
		c.equal("created at", after.CreatedAt, e.ArrivedAt)
	}},
	{"an ordinary append without any item fails and returns no item", func(c *contract) {
		result := c.conditionFailed(newer(reading(0, "", "temperature", 21)))
		if !result.LatestFailed || result.Latest != nil {
			c.Errorf("result is %+v, want the latest item failed and none returned", result)
		}
	}},
	{"an append with OrCreate creates the item, and updates it", func(c *contract) {
		either := func(e model.Event) storage.AppendTransaction {
			tx := newer(e)
			tx.Latest.OrCreate, tx.PurgeLock = true, &sensor
			return tx
		}
		c.setAttr(keys.Latest(series), "account", item.Value{Type: item.S, S: "acme"})
		c.written(either(reading(0, "b", "temperature", 21)))
		c.written(either(reading(5, "", "temperature", 22)))
		for _, old := range []model.Event{reading(5, "", "x", 1), reading(1, "", "x", 1)} {
			if result := c.conditionFailed(either(old)); !result.LatestFailed || result.Latest.At != minute(5) {
				c.Errorf("result is %+v, want the latest item of minute 5 failed", result)
			}
		}
		c.equal("fields", c.latest().Attrs, newFields("account", "acme", "temperature", 22))
	}},
	{"only an event after the latest one is written", onlyNewerIsWritten},
	{"the condition compares with the first new event, and the last one is written", func(c *contract) {
		c.written(creation(reading(0, "", "a", 1)))
		c.written(newer(reading(1, "", "a", 2, "b", 2), reading(3, "", "c", 3)))
		latest := c.latest()
		c.equal("order", latest.Order, model.Order{At: minute(3)})
		c.equal("fields", latest.Attrs, newFields("a", 2, "b", 2, "c", 3))
		result := c.conditionFailed(newer(reading(2, "", "a", 4), reading(9, "", "a", 5)))
		c.equal("order of the returned item", result.Latest.Order, model.Order{At: minute(3)})
	}},
	{"an append keeps what it does not set: older fields, enrichment, creation time", func(c *contract) {
		first := reading(0, "", "temperature", 21, "battery", 90)
		c.written(creation(first))
		c.setAttr(keys.Latest(series), "account", item.Value{Type: item.S, S: "acme"})
		c.written(newer(reading(1, "", "temperature", 22)))
		after := c.latest()
		c.equal("fields", after.Attrs, newFields("account", "acme", "battery", 90, "temperature", 22))
		c.equal("created at", after.CreatedAt, first.ArrivedAt)
	}},
	{"a purge lock rejects an update of the latest item, and is returned", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		c.setAttr(keys.Latest(series), tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		result := c.conditionFailed(newer(reading(1, "", "temperature", 22)))
		if !result.LatestFailed || result.Latest == nil || !result.Latest.PurgeLocked {
			c.Errorf("result is %+v, want the latest item failed with its purge lock", result)
		}
	}},
	{"a purge lock of the latest item rejects a creation", func(c *contract) {
		c.setAttr(keys.Latest(series), tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		result := c.conditionFailed(creation(reading(1, "", "temperature", 22)))
		if !result.LatestFailed || result.Latest == nil || !result.Latest.PurgeLocked {
			c.Errorf("result is %+v, want the latest item failed with its purge lock", result)
		}
	}},
	{"a purge lock of the subject rejects a creation, and nothing is stored", func(c *contract) {
		c.setAttr(tablekeys.PurgeLock(sensor), "_since", item.Value{Type: item.S, S: noon.String()})
		result := c.conditionFailed(creation(reading(0, "", "temperature", 21)))
		c.equal("result", result,
			storage.StoreResult{Result: storage.ConditionFailed, PurgeLockFailed: true, Stored: []*model.Event{nil}})
		latest, err := c.table.Latest(c.Context(), series, true)
		if latest != nil || err != nil || len(c.events(wholeDay())) != 0 {
			c.Errorf("latest item is %v, %v, or there are events; want nothing", latest, err)
		}
	}},
	{"each series of a subject has its own latest item", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		status := reading(1, "", "temperature", 4)
		status.Series.Stream = "status"
		c.written(creation(status))
		c.equal("latest item without stream", c.latest().Order, model.Order{At: minute(5)})
	}},
	{"an append that would make the latest item larger than 400 KB is ErrTooLarge, and nothing is stored", func(c *contract) {
		half := strings.Repeat("x", 220<<10)
		c.written(creation(reading(0, "", "a", half)))
		if result, err := c.table.Append(c.Context(), newer(reading(1, "", "b", half))); !errors.Is(err,
			storage.ErrTooLarge) {
			c.Errorf("append returns %v, %v; want %v", result.Result, err, storage.ErrTooLarge)
		}
		c.equal("events", identities(c.events(wholeDay())), identities([]model.Event{reading(0, "")}))
		c.written(newer(reading(1, "", "a", half)))
	}},
	{"a latest item of a newer version is an error", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		c.setAttr(keys.Latest(series), keys.AttrVersion, item.Value{Type: item.N, S: "99"})
		c.malformed(newer(reading(1, "", "temperature", 22)))
		if latest, err := c.table.Latest(c.Context(), series, true); err == nil {
			c.Errorf("latest item is %+v, want an error", latest)
		}
	}},
}

// onlyNewerIsWritten appends to a series whose latest event is at minute 5 with id m.
func onlyNewerIsWritten(c *contract) {
	c.written(creation(reading(5, "m", "temperature", 21)))
	for _, e := range []model.Event{
		reading(4, "m"), reading(4, "z"), reading(5, ""), reading(5, "M"), reading(5, "l\xf0\x9f\x8c\x8a"),
		reading(5, "m"),
	} {
		result := c.conditionFailed(newer(e))
		if !result.LatestFailed || result.Latest.Order != (model.Order{At: minute(5), ID: "m"}) {
			c.Errorf("%v: result is %+v, want the latest item at minute 5, m", e.Order, result)
		}
	}
	for _, e := range []model.Event{reading(5, "m0"), reading(5, "n"), reading(5, "é"), reading(6, ""),
		reading(7, "A")} {
		c.written(newer(e))
		c.equal("order", c.latest().Order, e.Order)
	}
}
