//go:build !adding

package main

import "github.com/tidemark-db/tidemark/internal/aggregate"

// newProcessor returns the processor that is deployed: it recomputes buckets. The build tag
// "adding" replaces it by a naive counter, to show that the tests detect the difference.
func newProcessor(a *aggregate.Aggregator) processor { return a }
