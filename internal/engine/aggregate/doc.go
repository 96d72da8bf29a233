// Package aggregate keeps rollups equal to their events. A stream record is never added to a row: it only
// names a bucket to recompute. A recomputation folds all children of the bucket and writes the result on
// condition that no other writer has written the row since it was read. Redelivery, disorder, concurrency and
// crashes therefore need no code of their own.
package aggregate
