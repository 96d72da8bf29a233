// Package eventsource implements Lambda's event source mapping for a table stream. The source of records, the
// function, the clock and sleep are fields, so that the same code delivers real table streams on a laptop and
// simulated streams in tests. It guarantees what Lambda guarantees: each record is delivered at least once,
// records of one item are delivered in order, and a retry may change the limits of a batch.
package eventsource
