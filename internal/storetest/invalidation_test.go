package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var invalidationFacts = []fact{
	{"invalidations are read in order of their due times, up to a time included", func(c *contract) {
		var all []entity.Invalidation
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
		for _, put := range []entity.Invalidation{i, i, other} {
			c.wantResult("put", storage.Written)(c.table.PutInvalidation(c.Context(), put))
		}
		c.equal("stored", len(c.invalidations(minute(2))), 2)
		for range 2 {
			c.wantResult("delete", storage.Written)(c.table.DeleteInvalidation(c.Context(), i))
		}
		c.equal("left", c.invalidations(minute(2)), []entity.Invalidation{other})
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
		if _, err := c.table.Invalidations(c.Context(), tablekeys.QueueShard(invalidation("d", 1).Key.Series), minute(2), ""); err == nil {
			c.Error("an invalidation of version 99 was read, want an error")
		}
	}},
	{"a low watermark only rises, each queue shard by itself", func(c *contract) {
		advance := func(shard, to int, want storage.WriteResult) {
			c.Helper()
			c.wantResult("advance", want)(c.table.AdvanceSweep(c.Context(), shard, minute(to)))
		}
		none, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("before the first sweep", none.Of(0), model.MinTime)
		advance(0, 5, storage.Written)
		advance(0, 5, storage.ConditionFailed)
		advance(0, 4, storage.ConditionFailed)
		advance(0, 6, storage.Written)
		advance(3, 1, storage.Written)
		all, err := c.table.Sweeps(c.Context())
		c.must(err)
		c.equal("low watermarks", all, entity.LowWatermarks{0: minute(6), 3: minute(1)})
	}},
}

func invalidation(device string, due int) entity.Invalidation {
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: device}, Kind: "READING"}
	return entity.Invalidation{Due: minute(due), Key: rollup.Key{Series: series, Tier: "hour", Start: minute(0)}}
}

// of returns the invalidations that are due up to a time.
func of(all []entity.Invalidation, due model.Time) (some []entity.Invalidation) {
	for _, i := range all {
		if i.Due <= due {
			some = append(some, i)
		}
	}
	return some
}

// invalidations reads those of all queue shards, in order of their due times.
func (c *contract) invalidations(due model.Time) (all []entity.Invalidation) {
	c.Helper()
	for shard := range tablekeys.QueueShards {
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
	slices.SortStableFunc(all, func(a, b entity.Invalidation) int { return int(a.Due - b.Due) })
	return all
}
