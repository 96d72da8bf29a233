package limits_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/limits"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// load is an event a minute that costs a write unit and half a read unit, of a kind with one deferred tier.
func load(finest tier.Unit) limits.Load {
	kind := catalog.Kind{Name: "READING"}
	kind.Retention.Tiers = []tier.Tier{{Unit: finest, Deferred: true}, {Unit: tier.Day, Deferred: true}}
	return limits.Load{Kind: kind, Every: time.Minute, Batch: 1, Units: cost.Units{Write: 1, Read: .5}}
}

// The figures are computed by hand from quotas and settings.
func TestAll_HasTheNumberOfSeriesOfEachLimit(t *testing.T) {
	stage := func() *config.Stage {
		return &config.Stage{Name: "prod", Sweeps: 1, Throttle: config.Throttle{Rate: 500},
			Sources: config.Sources{Things: []string{"DEVICE"}}}
	}
	for _, c := range []struct {
		limit  string // a part of its name
		want   int    // 0: there is no such limit
		change func(*config.Config, *config.Stage, *limits.Load)
	}{
		{limit: "queue", want: 600_000}, // 4 × 1,000 units × 300 s / 2 units
		{limit: "queue", want: 2_400_000, change: func(c *config.Config, _ *config.Stage, _ *limits.Load) {
			c.Queue.Shards = 16
		}},
		{limit: "queue", want: 120_000, change: func(_ *config.Config, _ *config.Stage, l *limits.Load) {
			*l = load(tier.Minute) // 4 × 1,000 units × 60 s / 2 units
		}},
		{limit: "queue", change: func(_ *config.Config, _ *config.Stage, l *limits.Load) {
			l.Kind.Retention.Tiers = nil
		}},
		{limit: "first events", want: 240_000}, // 4 × 1,000 units × 60 s
		{limit: "first events", want: 40_000, // which all wait for 10 s
			change: func(_ *config.Config, _ *config.Stage, l *limits.Load) { l.Every = time.Second }},
		{limit: "list of series: 4 partitions", want: 1_200_000}, // 4 × 1,000 units × 300 s
		// 1,024 / 1,769 CPUs / 372 µs × 300 s × (10 s × 1 + 50 s × 4 invocations) / 60 s
		{limit: "sweeps: up to 4 at once, 3.5 on average", want: 1_600_000},
		// 16 of 64 shards: × (10 × 1 + 50 × 16) / 60 s
		{limit: "sweeps: up to 16 at once, 13.5", want: 6_300_000,
			change: func(c *config.Config, _ *config.Stage, _ *limits.Load) { c.Queue.Shards = 64 }},
		// 3 + 3 + 2 + 2 shards: × (10 × 4 + 50 × 10) / 60 s
		{limit: "sweeps: up to 10 at once, 9.0", want: 4_200_000,
			change: func(c *config.Config, s *config.Stage, _ *limits.Load) { c.Queue.Shards, s.Sweeps = 10, 4 }},
		{limit: "sweeps: up to 1 at once, 1.0", want: 460_000, // a part without a shard has nothing to do
			change: func(c *config.Config, s *config.Stage, _ *limits.Load) { c.Queue.Shards, s.Sweeps = 1, 4 }},
		{limit: "sweeps: up to 2 at once, 1.8", want: 850_000, // × (10 × 1 + 50 × 2) / 60 s
			change: func(_ *config.Config, s *config.Stage, _ *limits.Load) { s.Reserved.Aggregate = 2 }},
		{limit: "40,000 write units", want: 2_400_000},
		{limit: "40,000 read units", want: 4_800_000},
		{limit: "a new table", want: 240_000},
		{limit: "a new table", change: func(_ *config.Config, s *config.Stage, _ *limits.Load) {
			s.Billing = config.Billing{ReadUnits: 100, WriteUnits: 100}
		}},
		{limit: "the provisioned table: 100 write units", want: 6_000,
			change: func(_ *config.Config, s *config.Stage, _ *limits.Load) {
				s.Billing = config.Billing{ReadUnits: 100, WriteUnits: 100}
			}},
		{limit: "the ceiling of the stage: 50 write units", want: 3_000,
			change: func(_ *config.Config, s *config.Stage, _ *limits.Load) { s.Ceiling.WriteUnits = 50 }},
		{limit: "the stage's throttle", want: 30_000},
		{limit: "the stage's throttle", want: 300_000,
			change: func(_ *config.Config, _ *config.Stage, l *limits.Load) { l.Batch = 10 }},
		{limit: "10,000 requests a second of the account", want: 600_000},
		{limit: "invocations of ingest", want: 3_000_000}, // 1,000 / 20 ms
		{limit: "asynchronous", want: 600_000},
		{limit: "AWS IoT, batched", want: 300_000,
			change: func(_ *config.Config, s *config.Stage, _ *limits.Load) { s.Sources.Batched = true }},
		{limit: "AWS IoT: 20,000", want: 1_200_000},
		{limit: "a new data stream", change: func(*config.Config, *config.Stage, *limits.Load) {}},
		{limit: "a new data stream", want: 240_000,
			change: func(_ *config.Config, s *config.Stage, _ *limits.Load) { s.Sources.Kinesis = true }},
	} {
		settings := config.Default()
		s, l := stage(), load(tier.Hour)
		settings.Functions.Aggregate.Memory = 1024
		if c.change != nil {
			c.change(settings, s, &l)
		}
		all := limits.All(settings, s, l)
		got := 0
		for _, limit := range all {
			if strings.Contains(limit.Name, c.limit) {
				got = limit.Series
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: %d series, want %d", c.limit, got, c.want)
		}
		if !slices.IsSortedFunc(all, func(a, b limits.Limit) int { return a.Series - b.Series }) {
			t.Errorf("%s: not in the order in which they are reached: %+v", c.limit, all)
		}
		for _, limit := range all {
			if limit.Raise == "" || limit.Then == "" {
				t.Errorf("%s does not say how it is raised and what happens then", limit.Name)
			}
		}
	}
}
