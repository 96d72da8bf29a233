package storetest

import (
	"crypto/rand"
	"testing"
)

// fact is a statement that is true of every table.
type fact struct {
	name  string
	check func(c *contract)
}

// Run checks the contract, each fact in a parallel subtest. open returns an empty table for
// each of them.
func Run(t *testing.T, open func(t *testing.T) Table) {
	groups := []struct {
		name  string
		facts []fact
	}{
		{"append", appendFacts},
		{"condition", conditionFacts},
		{"transaction", transactionFacts},
		{"put", putFacts},
		{"merge", mergeFacts},
		{"rotating secret", rotatingSecretFacts},
		{"page", pageFacts},
		{"meter", meterFacts},
		{"index", indexFacts},
		{"latest by", latestByFacts},
		{"event", eventFacts},
		{"row", rowFacts},
		{"repair", repairFacts},
		{"stream progress", progressFacts},
		{"invalidation", invalidationFacts},
		{"kind config", kindConfigFacts},
		{"lifecycle", lifecycleFacts},
		{"erase", eraseFacts},
		{"put all", putAllFacts},
		{"update", updateFacts},
		{"concurrent", concurrentFacts},
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, f := range g.facts {
				t.Run(f.name, func(t *testing.T) {
					t.Parallel()
					f.check(&contract{T: t, table: open(t), token: rand.Text()})
				})
			}
		})
	}
}
