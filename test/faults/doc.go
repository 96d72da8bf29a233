// Package faults tries, one by one, what may go wrong between a write and the
// rollups that tell of it, on the table in memory and with the mapping's own engine
// between them. docs/FAULTS.md lists every fault with what must hold and the test
// that holds it; many of those tests stand beside the code they are about, and the
// ones here need more than one package.
package faults
