// Package demo runs Tidemark on real data: it replays field loggers through the deployed functions,
// disturbs the delivery, and compares every bucket with an independent oracle. It is the command
// that make demo runs, whose exit status is 1 if a bucket differs.
package demo
