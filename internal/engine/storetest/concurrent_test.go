package storetest

import (
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// writers is the number of concurrent writers.
const writers = 16

var concurrentFacts = []fact{
	{"of concurrent writers with one order, exactly one succeeds", func(c *contract) {
		c.written(creation(reading(0, "")))
		results := c.concurrently(func(i int) storage.StoreResult {
			return c.appendUntilDecided(newer(reading(1, "", "writer", i)))
		})
		var winners int
		for i, result := range results {
			if result.Result == storage.Written {
				winners++
				c.equal("latest", c.latest().Attrs, newFields("writer", i))
				continue
			}
			if !result.LatestFailed || result.Latest.At != minute(1) || result.Stored[0] == nil {
				c.Errorf("writer %d got %+v, want the latest item and event of the winner", i, result)
			}
		}
		c.equal("winners", winners, 1)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"of concurrent creations of one series, exactly one succeeds", func(c *contract) {
		var winners int
		for _, result := range c.concurrently(func(i int) storage.StoreResult {
			return c.appendUntilDecided(creation(reading(i, "")))
		}) {
			if result.Result == storage.Written {
				winners++
			}
		}
		c.equal("winners", winners, 1)
		c.equal("events", len(c.events(wholeDay())), 1)
	}},
	{"the latest item only advances, to an event that was written", func(c *contract) {
		c.written(creation(reading(0, "")))
		results := c.concurrently(func(i int) storage.StoreResult {
			return c.appendUntilDecided(newer(reading(i+1, "", "writer", i)))
		})
		newest := minute(0)
		for i, result := range results {
			if result.Result == storage.Written {
				newest = max(newest, minute(i+1))
			} else if result.Latest.At <= minute(i) {
				c.Errorf("writer of minute %d failed because of an older latest item: %v", i+1, result.Latest.Order)
			}
		}
		c.equal("latest", c.latest().At, newest)
	}},
	{"of concurrent writers over one revision, exactly one succeeds", func(c *contract) {
		c.putRow(row(0), noRev)
		results := c.concurrently(func(i int) storage.StoreResult {
			next := row(0)
			next.Rev = rollup.Rev{2, byte(i)}
			for {
				written, err := c.table.PutRow(c.Context(), next, rollup.Rev{1})
				if err != nil {
					c.Error(err)
				}
				if err != nil || written == storage.Written || written == storage.ConditionFailed {
					return storage.StoreResult{Result: written}
				}
			}
		})
		var winners int
		for i, result := range results {
			if result.Result == storage.Written {
				winners++
				c.equal("rev", c.row(row(0).Key).Rev, rollup.Rev{2, byte(i)})
			}
		}
		c.equal("winners", winners, 1)
	}},
}

// concurrently starts all writers at the same time and returns their results.
func (c *contract) concurrently(write func(i int) storage.StoreResult) []storage.StoreResult {
	results := make([]storage.StoreResult, writers)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			<-start
			results[i] = write(i)
		})
	}
	close(start)
	all.Wait()
	return results
}

// appendUntilDecided sends a transaction until it is written or its condition fails. DynamoDB may
// return a conflict with another transaction in the meantime.
func (c *contract) appendUntilDecided(tx storage.AppendTransaction) storage.StoreResult {
	first := tx.Puts[0] // repeats have the same token
	tx.Token = fmt.Sprintf("%.8s-%d-%x", c.token, first.At/1000, first.Hash[:6])
	for {
		result, err := c.table.Append(c.Context(), tx)
		if err != nil {
			c.Errorf("append: %v", err)
			return storage.StoreResult{Result: storage.Unknown}
		}
		if result.Result == storage.Written || result.Result == storage.ConditionFailed {
			return result
		}
	}
}
