// Package rollup contains the mergeable summary of a bucket's events, its canonical bytes, and the row that
// stores it. Two summaries of the same events encode to the same bytes, whatever the order and the batches in
// which the events were added. So a recount can be compared with a stored row byte by byte.
package rollup
