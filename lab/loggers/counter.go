package loggers

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counter is a simple stream consumer for comparison: it adds one to a counter of each bucket for
// each delivered new event. It receives the same deliveries as the aggregate function. It is safe
// for concurrent use.
type Counter struct {
	mu     sync.Mutex
	counts map[rollup.Key]int64 // guarded by mu
}

// Deliver counts the inserts of one delivery.
func (c *Counter) Deliver(payload json.RawMessage) error {
	batch, err := new(tablestream.Decoder).Decode(payload)
	if err != nil {
		return fmt.Errorf("plain counter: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[rollup.Key]int64{}
	}
	for _, change := range batch.Changes {
		if change.Type == storage.Inserted {
			c.add(change.Key)
		}
	}
	return nil
}

func (c *Counter) add(key model.EventKey) {
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
		c.counts[rollup.Key{Series: key.Series, Tier: unit.String(), Start: unit.BucketAt(key.At).Start}]++
	}
}

// Wrong returns the number of buckets of the oracle in which the counter is wrong.
func (c *Counter) Wrong(expects map[rollup.Key]Expect) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	wrong := 0
	for key, want := range expects {
		if c.counts[key] != want.Count+want.Invalid {
			wrong++
		}
	}
	return wrong
}
