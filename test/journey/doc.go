// Package journey sends one event through the whole system, from ingest to query, on a table in
// memory, for a kind that is not in the repository but in the tidemark.yaml of the test. It shows
// that any kind works.
package journey
