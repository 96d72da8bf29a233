package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var progressFacts = []fact{
	{"stream progress advances from none and from progress not before the floor, never back", func(c *contract) {
		first := minute(0)
		c.advance(first, minute(-60), storage.Written, 0)
		c.advance(first, minute(-60), storage.ConditionFailed, first)
		c.advance(minute(-1), minute(-60), storage.ConditionFailed, first)
		c.advance(minute(1), first, storage.Written, 0) // the floor itself is allowed
		c.advance(minute(2), minute(1).Add(time.Millisecond), storage.ConditionFailed, minute(1))
		it, err := c.table.GetItem(c.Context(), tablekeys.StreamProgress())
		c.must(err)
		at, err := item.StreamProgress(it)
		c.must(err)
		c.equal("progress", at, minute(1))
	}},
	{"a gap is stored once, under its start", func(c *contract) {
		gap := entity.Gap{From: minute(0), To: minute(2000)}
		for range 2 {
			c.wantResult("put", storage.Written)(c.table.PutGap(c.Context(), gap))
		}
		c.wantResult("put with another end", storage.Written)(c.table.PutGap(c.Context(), entity.Gap{From: minute(0), To: minute(3000)}))
		it, err := c.table.GetItem(c.Context(), tablekeys.Gap(gap.From))
		c.must(err)
		got, err := item.Gap(it)
		c.must(err)
		c.equal("gap", got, gap)
	}},
}

func (c *contract) advance(at, floor model.Time, want storage.WriteResult, stored model.Time) {
	c.Helper()
	result, got, err := c.table.AdvanceProgress(c.Context(), at, floor)
	c.must(err)
	c.equal("result", result, want)
	c.equal("stored", got, stored)
}

func (c *contract) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}
