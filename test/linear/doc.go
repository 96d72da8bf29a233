// Package linear plays seeded histories of concurrent clients, on the deployed code over a table
// in memory with all simulated faults, until the given number of operations, and checks what the
// clients saw: appends, one by one, in batches and on conditions, corrections, deletes, erasures of
// ranges and reads must be linearizable, and each rollup must be the fold of a possible set of
// events. A history that is not is shrunk, printed and drawn as a page, and the exit status is 1.
//
// A Log records what the clients sent and received, and is checked without knowledge of the
// implementation: operations by porcupine, and each rollup that was read must be the fold of a
// set of events between what was acknowledged before the read and what was sent by its end. Each
// appended payload of a series is a different power of two, so that a sum names its events.
//
// The same clients and checks run at the same time on DynamoDB Local, in a test, and against the
// local stack, in make chaos.
package linear
