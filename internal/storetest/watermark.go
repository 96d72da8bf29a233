package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var watermarkFacts = []fact{
	{"the watermark moves on from none and from one within reach, never back", func(c *contract) {
		first := minute(0)
		c.advances(first, minute(-60), model.Written, 0)
		c.advances(first, minute(-60), model.Refused, first)
		c.advances(minute(-1), minute(-60), model.Refused, first)
		c.advances(minute(1), first, model.Written, 0) // the floor itself is within reach
		c.advances(minute(2), minute(1).Add(time.Millisecond), model.Refused, minute(1))
		it, err := c.table.GetItem(c.Context(), keys.Watermark())
		c.must(err)
		at, err := item.Watermark(it)
		c.must(err)
		c.equal("watermark", at, minute(1))
	}},
	{"a gap is kept once, and stands under its beginning", func(c *contract) {
		gap := model.Gap{From: minute(0), To: minute(2000)}
		for range 2 {
			c.answers("keep", model.Written)(c.table.KeepGap(c.Context(), gap))
		}
		c.answers("keep another end", model.Written)(c.table.KeepGap(c.Context(), model.Gap{From: minute(0), To: minute(3000)}))
		it, err := c.table.GetItem(c.Context(), keys.Gap(gap.From))
		c.must(err)
		got, err := item.Gap(it)
		c.must(err)
		c.equal("gap", got, gap)
	}},
}

func (c *contract) advances(at, floor model.Time, want model.Answer, stands model.Time) {
	c.Helper()
	answer, stood, err := c.table.Advance(c.Context(), at, floor)
	c.must(err)
	c.equal("answer", answer, want)
	c.equal("stands", stood, stands)
}

func (c *contract) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}
