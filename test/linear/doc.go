// Package linear plays seeded histories of concurrent clients, on the deployed code over a table
// in memory with all simulated faults, until the given number of operations, and checks what the
// clients saw: appends, conditional appends, deletes and reads must be linearizable, and each
// rollup must be the fold of a possible set of events. A history that is not is shrunk, printed
// and drawn as a page, and the exit status is 1.
package linear
