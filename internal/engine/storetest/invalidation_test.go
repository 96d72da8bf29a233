package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var invalidationFacts = []fact{
	{"invalidations are read in order of their due times, up to a time included", func(c *contract) {
		var all []storage.Invalidation
		for i := range 40 {
			all = append(all, invalidation(fmt.Sprint("d", i%3), 40-i))
		}
		for _, i := range all {
			c.putInvalidations(i)
		}
		slices.Reverse(all)
		c.equal("due up to 25", c.invalidations(minute(25)), of(all, minute(25)))
		c.equal("due up to 25, less 1 ms", c.invalidations(minute(25).Add(-time.Millisecond)), of(all, minute(24)))
		c.equal("all", len(c.invalidations(model.MaxTime)), 40)
	}},
	{"an invalidation is stored once, deleted, and may be deleted again", func(c *contract) {
		i := invalidation("d", 1)
		other := i
		other.Key.Start = minute(60)
		for _, put := range []storage.Invalidation{i, i, other} {
			c.putInvalidations(put)
		}
		c.equal("stored", len(c.invalidations(minute(2))), 2)
		for range 2 {
			c.deleteInvalidations(i)
		}
		c.equal("left", c.invalidations(minute(2)), []storage.Invalidation{other})
	}},
	{"batches of invalidations are put, read and deleted, whether or not some are stored", func(c *contract) {
		var all []storage.Invalidation
		for i := range itemop.MaxBatchReads {
			all = append(all, invalidation(fmt.Sprint("d", i), i))
		}
		for some := range slices.Chunk(all[1:], itemop.MaxBatchWrites) {
			c.putInvalidations(some...)
		}
		stored, err := c.table.StoredInvalidations(c.Context(), all)
		c.must(err)
		c.equal("the first is stored", stored[all[0]], false)
		c.equal("stored", len(stored), len(all)-1)
		for some := range slices.Chunk(all[:50], itemop.MaxBatchWrites) {
			c.deleteInvalidations(some...)
		}
		c.equal("left", c.invalidations(model.MaxTime), all[50:])
	}},
	{"a batch of invalidations that is too large, empty or twice the same is an error", func(c *contract) {
		var many []storage.Invalidation
		for i := range itemop.MaxBatchReads + 1 {
			many = append(many, invalidation(fmt.Sprint("d", i), i))
		}
		for name, these := range map[string][]storage.Invalidation{
			"none": nil, "too many": many[:itemop.MaxBatchWrites+1], "twice the same": {many[0], many[0]},
		} {
			if left, result, err := c.table.PutInvalidations(c.Context(), these); err == nil ||
				len(left) != len(these) {
				c.Errorf("%s: put, left %d, %v; want all, and an error", name, len(left), result)
			}
		}
		c.equal("stored", len(c.invalidations(model.MaxTime)), 0)
		if _, err := c.table.StoredInvalidations(c.Context(), many); err == nil {
			c.Errorf("%d invalidations are read by one request, want an error", len(many))
		}
	}},
	{"ReadItems has a key for each item, nil for an absent one", func(c *contract) {
		a, b := testKey("p", "a"), testKey("q", "b")
		absent := testKey("p", "none")
		c.must(c.table.PutItem(c.Context(), testItem(a)))
		c.must(c.table.PutItem(c.Context(), testItem(b, "x", "y")))
		for _, consistent := range []bool{true, false} {
			items, err := c.table.ReadItems(c.Context(), []keys.Key{b, absent, a}, consistent)
			c.must(err)
			c.equal("items", items, map[keys.Key]item.Item{a: testItem(a), b: testItem(b, "x", "y"), absent: nil})
		}
	}},
	{"invalidations of more than one page are read completely", func(c *contract) {
		long := strings.Repeat("x", 1900)
		for i := range 700 {
			c.putInvalidations(invalidation(fmt.Sprint(long, i), i))
		}
		c.equal("read", len(c.invalidations(minute(700))), 700)
	}},
	{"an invalidation of a newer version is an error, and a damaged one is skipped", func(c *contract) {
		it := item.FromInvalidation(invalidation("d", 1))
		delete(it, tablekeys.AttrRowSK)
		c.must(c.table.PutItem(c.Context(), it))
		c.equal("read", len(c.invalidations(minute(2))), 0)
		it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"}
		c.must(c.table.PutItem(c.Context(), it))
		if _, err := c.table.Invalidations(c.Context(),
			storage.FirstGeneration.Shard(invalidation("d", 1).Key.Series), minute(2), ""); err == nil {
			c.Error("an invalidation of version 99 was read, want an error")
		}
	}},
	{"a low watermark only rises, each queue shard by itself", func(c *contract) {
		first, later := storage.QueueShard{Number: 3}, storage.QueueShard{Generation: 1, Number: 3}
		advance := func(shard storage.QueueShard, to int, want storage.WriteResult) {
			c.Helper()
			c.wantResult("advance", want)(c.table.AdvanceSweep(c.Context(), shard, minute(to)))
		}
		none, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("before the first sweep", none.Least(), model.MinTime)
		advance(first, 5, storage.Written)
		advance(first, 5, storage.ConditionFailed)
		advance(first, 4, storage.ConditionFailed)
		advance(first, 6, storage.Written)
		advance(later, 1, storage.Written)
		all, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("low watermarks", all, storage.LowWatermarks{
			Generations: storage.Generations{storage.FirstGeneration},
			Through:     map[storage.QueueShard]model.Time{first: minute(6), later: minute(1)},
		})
	}},
	{"invalidations of a series are in the queue shard of their generation", func(c *contract) {
		first := invalidation("d", 1)
		later := storage.Generation{Number: 1, Shards: 7}.Invalidation(first.Due, first.Key)
		c.putInvalidations(later)
		for i, want := range map[storage.Invalidation]bool{first: false, later: true} {
			stored, err := c.table.StoredInvalidations(c.Context(), []storage.Invalidation{i})
			c.must(err)
			c.equal("stored", stored[i], want)
			page, err := c.table.Invalidations(c.Context(), i.Shard, minute(2), "")
			c.must(err)
			c.equal("in the queue", slices.Contains(page.Invalidations, i), want)
		}
	}},
	{"the generations of the queue are replaced by who read the present ones", func(c *contract) {
		first := storage.QueueConfig{Generations: storage.Generations{storage.FirstGeneration}}
		c.equal("before the first change", c.queueConfig(), first)
		next := storage.QueueConfig{
			Rev:         [16]byte{1},
			Generations: storage.Generations{storage.FirstGeneration, {Number: 1, Shards: 16, SeenAt: minute(3)}},
		}
		c.wantResult("first", storage.Written)(c.table.PutQueueConfig(c.Context(), next, [16]byte{}))
		c.equal("stored", c.queueConfig(), next)
		c.wantResult("again as the first",
			storage.ConditionFailed)(c.table.PutQueueConfig(c.Context(), next, [16]byte{}))
		next.Generations[0].RetiredAt, next.Rev = minute(5), [16]byte{2}
		c.wantResult("of another revision",
			storage.ConditionFailed)(c.table.PutQueueConfig(c.Context(), next, [16]byte{3}))
		c.wantResult("of the stored revision",
			storage.Written)(c.table.PutQueueConfig(c.Context(), next, [16]byte{1}))
		all, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("with the low watermarks", all.Generations, next.Generations)
	}},
}

// putInvalidations puts invalidations, those again that a request did not process.
func (c *contract) putInvalidations(these ...storage.Invalidation) {
	c.Helper()
	c.untilNoneIsLeft(these, c.table.PutInvalidations)
}

func (c *contract) deleteInvalidations(these ...storage.Invalidation) {
	c.Helper()
	c.untilNoneIsLeft(these, c.table.DeleteInvalidations)
}

func (c *contract) untilNoneIsLeft(
	these []storage.Invalidation,
	send func(context.Context, []storage.Invalidation) ([]storage.Invalidation, storage.WriteResult, error),
) {
	c.Helper()
	for len(these) > 0 {
		left, result, err := send(c.Context(), these)
		if err != nil || result != storage.Written {
			c.Fatalf("%v, %v; want written", result, err)
		}
		these = left
	}
}

func (c *contract) queueConfig() storage.QueueConfig {
	c.Helper()
	stored, err := c.table.QueueConfig(c.Context())
	c.must(err)
	return stored
}

func invalidation(device string, due int) storage.Invalidation {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING"}
	return storage.FirstGeneration.Invalidation(minute(due),
		rollup.Key{Series: series, Tier: "hour", Start: minute(0)})
}

// of returns the invalidations that are due up to a time.
func of(all []storage.Invalidation, due model.Time) (some []storage.Invalidation) {
	for _, i := range all {
		if i.Due <= due {
			some = append(some, i)
		}
	}
	return some
}

// invalidations reads the invalidations of all queue shards, in order of their due times.
func (c *contract) invalidations(due model.Time) (all []storage.Invalidation) {
	c.Helper()
	for _, shard := range storage.FirstGeneration.QueueShards() {
		last := model.MinTime
		for after, more := "", true; more; more = after != "" {
			page, err := c.table.Invalidations(c.Context(), shard, due, after)
			c.must(err)
			for _, i := range page.Invalidations {
				if i.Due < last {
					c.Errorf("%s after %s", i.Due, last)
				}
				last = i.Due
			}
			all, after = append(all, page.Invalidations...), page.Next
		}
	}
	slices.SortStableFunc(all, func(a, b storage.Invalidation) int { return int(a.Due - b.Due) })
	return all
}
