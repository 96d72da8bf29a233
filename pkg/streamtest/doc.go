// Package streamtest is Lambda's event-source mapping for a table stream, as an
// engine of its own: the source of records, the function, the clock and sleep are
// handed in, so the same code drives the laptop's stack on real table streams and
// tests on made-up ones. It keeps the promises that Lambda keeps, and no more: at
// least once, order per item only, batches cut anew on every retry.
package streamtest
