// Package bench measures Tidemark and comparable programs in one run, and writes
// docs/PERFORMANCE.md.
package bench
