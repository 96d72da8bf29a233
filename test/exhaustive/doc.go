// Package exhaustive explores every history of small scenarios on the real code: the ingest
// service, the aggregator, sweeps and live reads, on the table in memory. A scenario has a
// few events, buckets, processes and readings of the clock, and a budget of faults. Every
// interleaving of the requests of its processes is explored, with a crash or a missing
// response at each write, repeated and late records, deletions, expiry, seals, another
// configuration and reads.
//
// # What is checked
//
// In each state where nothing runs and every change is processed, each row that readers use
// is the fold of exactly the accepted events, or says exact: false where a change came too
// late for its seal. Each response to a reader is the fold of a set of events: it has those
// that were processed before the reader began, of an open bucket those that were stored,
// and none that was not stored by its end. And every bucket settles: from each quiet state
// two sweeps after all closing times empty the queue, and the rows are right again. A state
// where nothing can happen any more must be quiet.
//
// The value of event n is 2^n, so that the sum of a fold is the set of its events. The
// check shares no arithmetic with the fold.
//
// # How it works
//
// A process is a function of what it has read. So the state of a process is the list of
// the responses to its requests, and the state of the system is the content of the table,
// the states of the processes, and a few counters. The real code runs once for each state
// of a process and for each pair of table content and request; all else is looked up. A
// state is visited once: states are known by a hash of 128 bits. The search is by levels,
// so that the history of a violation is one of the shortest.
//
// Three rules keep the number of states small, and lose no outcome. A process reads its
// clock at once or after the next tick, since nothing else depends on it. A process that
// crashes does so right after a write, or before its first: no other process sees the
// difference. At the beginning of an attempt to recompute a bucket, a process has forgotten
// the attempts before; TestForget checks that this loses no content of the table.
//
// Not explored: writes that are carried out later than their missing response (the
// simulation of test/simulation has them), pages, and records that are lost.
package exhaustive
