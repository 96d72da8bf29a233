//go:build !adding

package main

import "github.com/tidemark-db/tidemark/internal/aggregate"

// newSettler is the rule that deploys: look again. The build tag "adding" puts a
// plain consumer in its place, to show that the oracle can tell the two apart.
func newSettler(a *aggregate.Aggregator) settler { return a }
