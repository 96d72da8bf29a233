// Package faults tests, one by one, the faults that can occur between a write and its rollups, on
// the table in memory and with eventsource between them. docs/FAULTS.md lists every fault with the
// expected result and the test. Tests that need only one package are in that package.
package faults
