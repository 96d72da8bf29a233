package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
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
			c.wantResult("put", storage.Written)(c.table.PutInvalidation(c.Context(), i))
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
			c.wantResult("put", storage.Written)(c.table.PutInvalidation(c.Context(), put))
		}
		c.equal("stored", len(c.invalidations(minute(2))), 2)
		for range 2 {
			c.wantResult("delete", storage.Written)(c.table.DeleteInvalidation(c.Context(), i))
		}
		c.equal("left", c.invalidations(minute(2)), []storage.Invalidation{other})
	}},
	{"invalidations of more than one page are read completely", func(c *contract) {
		long := strings.Repeat("x", 1900)
		for i := range 700 {
			c.wantResult("put", storage.Written)(c.table.PutInvalidation(c.Context(), invalidation(fmt.Sprint(long, i), i)))
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
		if _, err := c.table.Invalidations(c.Context(), storage.FirstGeneration.Shard(invalidation("d", 1).Key.Series), minute(2), ""); err == nil {
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
		c.wantResult("put", storage.Written)(c.table.PutInvalidation(c.Context(), later))
		for i, want := range map[storage.Invalidation]bool{first: false, later: true} {
			stored, err := c.table.HasInvalidation(c.Context(), i)
			c.must(err)
			c.equal("stored", stored, want)
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
		c.wantResult("again as the first", storage.ConditionFailed)(c.table.PutQueueConfig(c.Context(), next, [16]byte{}))
		next.Generations[0].RetiredAt, next.Rev = minute(5), [16]byte{2}
		c.wantResult("of another revision", storage.ConditionFailed)(c.table.PutQueueConfig(c.Context(), next, [16]byte{3}))
		c.wantResult("of the stored revision", storage.Written)(c.table.PutQueueConfig(c.Context(), next, [16]byte{1}))
		all, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("with the low watermarks", all.Generations, next.Generations)
	}},
}

func (c *contract) queueConfig() storage.QueueConfig {
	c.Helper()
	stored, err := c.table.QueueConfig(c.Context())
	c.must(err)
	return stored
}

func invalidation(device string, due int) storage.Invalidation {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING"}
	return storage.FirstGeneration.Invalidation(minute(due), rollup.Key{Series: series, Tier: "hour", Start: minute(0)})
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
