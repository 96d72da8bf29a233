package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Capacity sums the capacity units that requests consumed. Failed requests do not report what they consumed
// and are not included. The zero value is ready for use; it is safe for concurrent use.
type Capacity struct {
	mu          sync.Mutex
	read, write float64 // guarded by mu
}

// Units returns the sum so far: read units of 4 KB and write units of 1 KB.
func (c *Capacity) Units() (read, write float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read, c.write
}

// returnMode requests the consumed capacity only if it is counted.
func (c *Capacity) returnMode() types.ReturnConsumedCapacity {
	if c == nil {
		return types.ReturnConsumedCapacityNone
	}
	return types.ReturnConsumedCapacityTotal
}

// readReturnMode is returnMode for a read, which a meter in ctx may also count.
func (t *Table) readReturnMode(ctx context.Context) types.ReturnConsumedCapacity {
	if model.ReadMeterFrom(ctx) != nil {
		return types.ReturnConsumedCapacityTotal
	}
	return t.capacity.returnMode()
}

// countRead counts the consumption of a read that returned so many items.
func (t *Table) countRead(ctx context.Context, items int, consumed *types.ConsumedCapacity) {
	read := 0.
	if consumed != nil {
		read = aws.ToFloat64(consumed.CapacityUnits)
	}
	t.countReadUnits(ctx, items, read)
}

func (t *Table) countReadUnits(ctx context.Context, items int, read float64) {
	t.capacity.addReadUnits(read)
	model.ReadMeterFrom(ctx).Add(model.ReadCost{Requests: 1, Items: items, Units: read})
}

func (c *Capacity) addReads(consumed *types.ConsumedCapacity) {
	if consumed != nil {
		c.addReadUnits(aws.ToFloat64(consumed.CapacityUnits))
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

// addWrites counts the consumption of a write. A transaction that is repeated with its token consumes read
// units and reports them separately; other writes report only their total.
func (c *Capacity) addWrites(consumed ...types.ConsumedCapacity) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range consumed {
		switch {
		case one.ReadCapacityUnits != nil || one.WriteCapacityUnits != nil:
			c.read += aws.ToFloat64(one.ReadCapacityUnits)
			c.write += aws.ToFloat64(one.WriteCapacityUnits)
		default:
			c.write += aws.ToFloat64(one.CapacityUnits)
		}
	}
}
