// Package rollup is the mergeable summary of the events of a bucket, its canonical
// bytes, and the row that keeps it. Two summaries of the same events encode to the
// same bytes, whatever the order, batching or redelivery they came by, so a recount
// can be compared with a stored row byte by byte.
package rollup
