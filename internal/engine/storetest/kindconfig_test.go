package storetest

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
)

var kindConfigFacts = []fact{
	{"a configuration is stored once, and replaced only under the revision that was read", func(c *contract) {
		if got, err := c.table.KindConfig(c.Context(), "READING"); got != nil || err != nil {
			c.Fatalf("before: %v, %v; want none", got, err)
		}
		first := storage.KindConfig{
			Kind: "READING", Rev: [16]byte{1}, AppliedAt: minute(0), SubjectType: "DEVICE", Shards: 1, Raw: time.Hour, LeastRaw: time.Minute,
			Tiers:    []storage.TierConfig{{Unit: "hour", Retention: time.Hour, Least: time.Minute, From: minute(1), RemovedAt: minute(2)}},
			Measures: []storage.FieldConfig{{Name: "t", Scale: 9, Percentiles: true, Since: minute(3), PercentilesSince: minute(4)}},
		}
		second := first
		second.Rev, second.Raw = [16]byte{2}, 2*time.Hour
		none := [16]byte{}
		c.wantResult("put under a revision",
			storage.ConditionFailed)(c.table.PutKindConfig(c.Context(), first, [16]byte{1}))
		c.wantResult("put", storage.Written)(c.table.PutKindConfig(c.Context(), first, none))
		c.wantResult("put again", storage.ConditionFailed)(c.table.PutKindConfig(c.Context(), second, none))
		c.wantResult("put under another revision",
			storage.ConditionFailed)(c.table.PutKindConfig(c.Context(), second, [16]byte{3}))
		got, err := c.table.KindConfig(c.Context(), "READING")
		c.must(err)
		c.equal("stored", *got, first)
		c.wantResult("replace", storage.Written)(c.table.PutKindConfig(c.Context(), second, first.Rev))
		got, err = c.table.KindConfig(c.Context(), "READING")
		c.must(err)
		c.equal("stored", *got, second)
	}},
	{"a damaged configuration is an error", func(c *contract) {
		c.setAttr(tablekeys.KindConfig("READING"), tablekeys.AttrConfig, item.Value{Type: item.S, S: "{"})
		if got, err := c.table.KindConfig(c.Context(), "READING"); err == nil {
			c.Errorf("got %v, want an error", got)
		}
	}},
}
