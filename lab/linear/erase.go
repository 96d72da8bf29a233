package linear

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// Erase deletes the events of a range of slots.
func (c *Client) Erase(ctx context.Context, series string, from, to uint8) {
	recorded := &attempts{Store: c.Store, log: c.Log}
	for slot := from; slot <= to; slot++ {
		o := c.begin(Operation{Series: series, Verb: Erase, Slot: slot})
		recorded.operations = append(recorded.operations, &o)
	}
	service := c.service(recorded)
	purger := &lifecycle.Purger{Now: service.Now, Rand: service.Rand, Sleep: service.Sleep,
		RetryPolicy: service.RetryPolicy}
	selection := lifecycle.EventSelection{
		Series: c.key(series, from).Series, From: c.Log.At(from), To: c.Log.At(to) + 1,
		OnUnqueued: service.OnUnqueued,
	}
	if service.Queue != nil {
		selection.Queue, selection.Catalog = service.Queue, service.Queue.Catalog
	}
	_, err := purger.EraseEvents(ctx, recorded, selection)
	for _, o := range recorded.operations {
		if err != nil { // some may have been deleted
			o.Lost, o.Return = true, Forever
			c.Log.add(*o)
			continue
		}
		c.end(*o)
	}
}
