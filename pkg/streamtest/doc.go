// Package streamtest is Lambda's event-source mapping for a table stream, as an
// engine of its own: the source of records, the function, the clock and sleep are
// handed in, so the same code drives the laptop's stack on real table streams and
// tests on made-up ones. It keeps the promises that Lambda keeps, and no more: at
// least once, order per item only, batches cut anew on every retry.
//
// On that engine stands a simulator for anyone's handler. A Trial plays histories of a
// table, each from its seed: a clock that jumps, actors that take turns at their
// requests, a table stream whose shards split and merge, and every Fault there is, from
// a crash between two writes to a failover. What must hold is checked whenever all is
// quiet. A history that fails is shrunk to the choices it needs and told as a Story.
package streamtest
