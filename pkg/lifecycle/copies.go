package lifecycle

import (
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const day = tier.Day24

// returningCopies are the places from which a queue or a command can bring data of a purged subject back,
// with the longest time after the purge for which they have it. A message can pass through all of them, in
// this order: it waits in each place as long as it can, is replayed, and cannot be read.
func returningCopies(c *config.Config) []Copy {
	all := []Copy{
		{Where: "the table stream and the data stream", For: day},
		{Where: "the queue of observations", For: config.InboxRetention},
		{Where: "queues of undelivered messages", For: c.Mapping.FailureRetention},
		{Where: "quarantined data whose subject could not be read", For: c.Quarantine.Retention},
	}
	for i := 1; i < len(all); i++ {
		all[i].For += all[i-1].For
	}
	return all
}

// lockDuration returns how long the purge lock must last. It outlives every copy that can return. It outlives
// every bucket that is open at its beginning, too: a process that remembers an invalidation, which the purge
// has removed, would leave a new event of that bucket to it.
func lockDuration(c *config.Config) time.Duration {
	returning := returningCopies(c)
	return max(returning[len(returning)-1].For, longestOpen(c)) + day
}

// longestOpen returns the longest time from the start of a bucket to its closing time.
func longestOpen(c *config.Config) (longest time.Duration) {
	policies := []tier.Policy{c.Retention}
	for _, k := range c.Kinds {
		policies = append(policies, k.Retention)
	}
	for _, p := range policies {
		for _, t := range p.Tiers {
			longest = max(longest, t.Unit.Longest()+t.Grace+p.Jitter)
		}
	}
	return longest
}

// ListCopies returns the places where copies remain after a purge.
func ListCopies(c *config.Config) []Copy {
	logs := time.Duration(0)
	for _, s := range c.Stages {
		logs = max(logs, s.LogRetention)
	}
	return slices.Concat(returningCopies(c), []Copy{
		{Where: "the purge lock, which names the subject", For: lockDuration(c), OfSubject: true},
		{Where: "empty rollups, which name series and buckets and contain no measures", For: 25 * time.Hour,
			OfSubject: true},
		{Where: "the queue of sweeps, which names series and buckets: only what the table stream delivered " +
			"after the purge", For: longestOpen(c)},
		{Where: "point-in-time recovery of the table", For: 35 * day},
		{Where: "logs of the functions, which name series", For: logs},
		{Where: "backups and exports that users made"},
	})
}
