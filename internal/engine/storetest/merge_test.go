package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// joined returns the transaction that adds humidity to an event of minute 0, and to the
// latest item if it has that order.
func joined(was model.Event) storage.AppendTransaction {
	now := reading(0, "", "humidity", 50, "temperature", 21)
	return storage.AppendTransaction{
		Latest: &storage.LatestWrite{
			Series: series, Same: true, First: now.Order, Last: now.Order, Hash: now.Hash,
			Set: newFields("humidity", 50), Now: now.ArrivedAt,
		},
		Merge: &storage.EventMerge{Event: now, Was: was.Hash, Now: noon},
	}
}

var mergeFacts = []fact{
	{"a merge replaces the event and adds to the latest item of the same order", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		c.setAttr(keys.Latest(series), "account", item.Value{Type: item.S, S: "acme"})
		tx := joined(e)
		c.written(tx)
		c.equal("events", c.events(wholeDay()), []model.Event{tx.Merge.Event})
		c.equal("fields", c.latest().Attrs, newFields("account", "acme", "humidity", 50, "temperature", 21))
		c.equal("hash", c.latest().Hash, tx.Merge.Event.Hash)
	}},
	{"a merge of an event with another hash fails and returns the event", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		result := c.conditionFailed(joined(reading(0, "", "temperature", 22)))
		c.equal("result", result, storage.StoreResult{Result: storage.ConditionFailed, Stored: []*model.Event{&e}})
	}},
	{"a merge fails if the latest item has another order, and nothing is stored", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		c.written(newer(reading(1, "", "temperature", 22)))
		result := c.conditionFailed(joined(e))
		c.equal("result", result, storage.StoreResult{
			Result: storage.ConditionFailed, LatestFailed: true, Latest: new(c.latest()), Stored: []*model.Event{nil},
		})
		alone := joined(e)
		alone.Latest, alone.PurgeLock = nil, &sensor
		c.written(alone)
	}},
	{"a merge of an event that is not stored, or expires soon, fails", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		alone := joined(e)
		alone.Latest = nil
		if result := c.conditionFailed(alone); result.Stored[0] == nil || !result.Stored[0].Unreadable {
			c.Errorf("not stored: %+v, want an unreadable event", result.Stored[0])
		}
		e.ExpiresAt = noon.Add(tier.ExpiryMargin).Seconds()
		c.putEvents(e)
		c.equal("stored", c.conditionFailed(alone).Stored, []*model.Event{&e})
		alone.Merge.Now = noon.Add(-time.Second)
		c.written(alone)
	}},
	{"a purge lock rejects a merge", func(c *contract) {
		e := reading(0, "", "temperature", 21)
		c.written(creation(e))
		c.setAttr(keys.Latest(series), tablekeys.AttrPurgeLock, item.Value{Type: item.Bool, Bool: true})
		if result := c.conditionFailed(joined(e)); result.Latest == nil || !result.Latest.PurgeLocked {
			c.Errorf("result is %+v, want the latest item failed with its purge lock", result)
		}
	}},
}
