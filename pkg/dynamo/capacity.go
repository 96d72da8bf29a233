package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Capacity sums what requests consumed, in capacity units. Requests that failed do
// not say what they took and are not in it. It may be used concurrently; the zero
// value is ready.
type Capacity struct {
	mu          sync.Mutex
	read, write float64 // guarded by mu
}

// Units is what was consumed so far: read units of 4 KB and write units of 1 KB.
func (c *Capacity) Units() (read, write float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read, c.write
}

// mode asks for consumption only where somebody counts it.
func (c *Capacity) mode() types.ReturnConsumedCapacity {
	if c == nil {
		return types.ReturnConsumedCapacityNone
	}
	return types.ReturnConsumedCapacityTotal
}

// asks is mode of a read, whose context may have a meter.
func (t *Table) asks(ctx context.Context) types.ReturnConsumedCapacity {
	if model.MeterOf(ctx) != nil {
		return types.ReturnConsumedCapacityTotal
	}
	return t.capacity.mode()
}

// took counts what a read of so many items consumed.
func (t *Table) took(ctx context.Context, items int, consumed *types.ConsumedCapacity) {
	read := 0.
	if consumed != nil {
		read = units(consumed.CapacityUnits)
	}
	t.tookUnits(ctx, items, read)
}

func (t *Table) tookUnits(ctx context.Context, items int, read float64) {
	t.capacity.addReadUnits(read)
	model.MeterOf(ctx).Add(model.Cost{Requests: 1, Items: items, Units: read})
}

func (c *Capacity) addReads(consumed *types.ConsumedCapacity) {
	if consumed != nil {
		c.addReadUnits(units(consumed.CapacityUnits))
	}
}

func (c *Capacity) addReadUnits(n float64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read += n
}

// addWrites adds what a write consumed. A transaction that is sent again with its
// token consumes read units and says so apart; other writes name their total alone.
func (c *Capacity) addWrites(consumed ...types.ConsumedCapacity) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range consumed {
		switch {
		case one.ReadCapacityUnits != nil || one.WriteCapacityUnits != nil:
			c.read += units(one.ReadCapacityUnits)
			c.write += units(one.WriteCapacityUnits)
		default:
			c.write += units(one.CapacityUnits)
		}
	}
}

func units(n *float64) float64 {
	if n == nil {
		return 0
	}
	return *n
}
