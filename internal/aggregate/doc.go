// Package aggregate keeps rollups equal to their events. A stream record is never
// added to anything: it only says which bucket to look at again, and a look writes
// the whole fold of the bucket's children on condition that nobody wrote the row
// since it was read. Redelivery, disorder, concurrency and crashes are one case.
package aggregate
