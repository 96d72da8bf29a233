// Package journey takes one event the whole way, door to answer, on a table in memory,
// for a kind that no domain of the repository knows: it stands in a tidemark.yaml of
// the test's own. What works here works for any kind, because nothing else is known of
// it.
package journey
