package linear

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// service returns a service that records its attempts, and the operations whose buckets may not be queued.
func (c *Client) service(recorded *attempts) *ingest.Service {
	s := c.Ingest(recorded)
	s.OnUnqueued = func(events []model.EventKey, _ error) {
		for _, o := range recorded.operations {
			sent := func(e model.EventKey) bool { return e.At == c.Log.At(o.Slot) }
			o.unqueued = o.unqueued || slices.ContainsFunc(events, sent)
		}
	}
	return s
}

// clockError is how far the clocks of clients and functions may be from the true time.
const clockError = time.Minute

// live returns the slots whose finest bucket is open, so that readers fold its events.
func (c *Client) live(series string, now model.Time) (slots uint16) {
	policy := c.Log.Kind.Retention
	for slot := uint8(1); slot <= Slots && policy.Tiers[0].Deferred; slot++ {
		b := policy.Tiers[0].Unit.BucketAt(c.Log.At(slot))
		if policy.ClosesAt(0, b, c.key(series, slot).Series) > now {
			slots |= 1 << slot
		}
	}
	return slots
}
