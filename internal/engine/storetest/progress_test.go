package storetest

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
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
	{"a gap is stored once, under its start, and only grows", func(c *contract) {
		gap, longer := storage.Gap{From: minute(0), To: minute(2000)},
			storage.Gap{From: minute(0), To: minute(3000)}
		for _, g := range []storage.Gap{gap, gap, longer, gap} {
			c.wantResult("put", storage.Written)(c.table.PutGap(c.Context(), g))
		}
		it, err := c.table.GetItem(c.Context(), tablekeys.Gap(gap.From))
		c.must(err)
		got, err := item.Gap(it)
		c.must(err)
		c.equal("gap", got, longer)
	}},
	{"a gap is deleted unless it has grown since it was read", func(c *contract) {
		gap, longer := storage.Gap{From: minute(0), To: minute(2000)},
			storage.Gap{From: minute(0), To: minute(3000)}
		c.wantResult("put", storage.Written)(c.table.PutGap(c.Context(), longer))
		c.wantResult("delete as it was", storage.ConditionFailed)(c.table.DeleteGap(c.Context(), gap))
		for range 2 {
			c.wantResult("delete", storage.Written)(c.table.DeleteGap(c.Context(), longer))
		}
		it, err := c.table.GetItem(c.Context(), tablekeys.Gap(gap.From))
		c.must(err)
		c.equal("item", len(it), 0)
	}},
	{"progress that is begun is no progress of changes, and gives way to one", func(c *contract) {
		result, _, err := c.table.BeginProgress(c.Context(), minute(1))
		c.must(err)
		c.equal("begin", result, storage.Written)
		result, stored, err := c.table.BeginProgress(c.Context(), minute(2))
		c.must(err)
		c.equal("begin again", result, storage.ConditionFailed)
		c.equal("stored", stored, minute(1))
		state, err := c.table.StreamState(c.Context())
		c.must(err)
		c.equal("progress", state.Progress, minute(1))
		c.equal("through", state.Through(), model.MinTime)
		c.advance(minute(1), minute(0), storage.ConditionFailed, minute(1))
		c.advance(minute(3), minute(0), storage.Written, 0)
		state, err = c.table.StreamState(c.Context())
		c.must(err)
		c.equal("through", state.Through(), minute(3))
	}},
	{"the stream state has the progress, gaps, and blocked batches until they are deleted", func(c *contract) {
		gap := storage.Gap{From: minute(0), To: minute(2000)}
		blocked := storage.Blocked{Seq: "301", Gap: storage.Gap{From: minute(1), To: minute(2)}}
		c.advance(minute(3), minute(0), storage.Written, 0)
		c.wantResult("put gap", storage.Written)(c.table.PutGap(c.Context(), gap))
		for range 2 {
			c.wantResult("put blocked", storage.Written)(c.table.PutBlocked(c.Context(), blocked))
		}
		c.must(c.table.PutItem(c.Context(), item.FromHeartbeat(minute(4))))
		state, err := c.table.StreamState(c.Context())
		c.must(err)
		want := storage.StreamState{
			Progress: minute(3), Gaps: []storage.Gap{gap}, Blocked: []storage.Blocked{blocked},
		}
		c.equal("state", fmt.Sprint(state), fmt.Sprint(want))
		c.equal("through", state.Through(), minute(1))
		for _, want := range []bool{true, false} {
			found, err := c.table.HasBlocked(c.Context(), blocked.Seq)
			c.must(err)
			c.equal("stored", found, want)
			c.wantResult("delete blocked", storage.Written)(c.table.DeleteBlocked(c.Context(), blocked.Seq))
		}
		state, err = c.table.StreamState(c.Context())
		c.must(err)
		c.equal("through", state.Through(), minute(3))
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
