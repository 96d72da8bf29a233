package tableconfig

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// changeOver makes a stored tier deferred or immediate, as it is declared. Processes read the configuration
// at different times, so the two sides change one after the other. To deferred: readers fold open buckets as
// soon as they know, and aggregation leaves these buckets after Lead, when all readers know. To immediate:
// aggregation recomputes as soon as it knows, and readers go on folding until every invalidation was worked
// off after Lead; see Drained.
func changeOver(c *storage.TierConfig, declared tier.Tier, now model.Time) {
	switch {
	case declared.Deferred && (!c.Deferred || c.ImmediateAt != 0):
		c.Deferred = true
		c.DeferredFrom = now.Add(Lead)
		c.ImmediateAt = 0
	case !declared.Deferred && c.Deferred && c.ImmediateAt == 0:
		c.ImmediateAt = now
	}
	if declared.Deferred {
		c.Grace = declared.Grace
	}
}

// becomesDeferred reports whether readers begin to fold open buckets of a tier.
func becomesDeferred(stored *storage.KindConfig, next storage.KindConfig) bool {
	deferred := map[string]bool{}
	if stored != nil {
		for _, t := range stored.Tiers {
			deferred[t.Unit] = t.Deferred
		}
	}
	return slices.ContainsFunc(next.Tiers, func(t storage.TierConfig) bool {
		return t.Deferred && !deferred[t.Unit]
	})
}

// DrainFrom returns the time from which the invalidations of tiers that are immediate again can be worked off
// for good: no process leaves a bucket to a sweep any more. ok is false if there are no such tiers.
func DrainFrom(c *storage.KindConfig) (from model.Time, ok bool) {
	for _, t := range c.Tiers {
		if t.ImmediateAt != 0 {
			from, ok = max(from, t.ImmediateAt.Add(Lead)), true
		}
	}
	return from, ok
}

// drained returns the configuration after the invalidations of its immediate tiers have
// been worked off: readers use the rows of all buckets of these tiers.
func drained(c storage.KindConfig) storage.KindConfig {
	tiers := make([]storage.TierConfig, len(c.Tiers))
	for i, t := range c.Tiers {
		if t.ImmediateAt != 0 {
			t.Deferred = false
			t.DeferredFrom = 0
			t.ImmediateAt = 0
			t.Grace = 0
		}
		tiers[i] = t
	}
	c.Tiers = tiers
	return c
}
