// Package simulation plays random histories of a table under all simulated faults. It runs
// the deployed code: the ingest service and the aggregator, on the table in memory and a
// simulated table stream. Each history is determined by its seed. Whenever nothing is in
// progress, it checks that each exact row is byte-equal to a recount of the events, and
// that no row is missing. A history that fails is shrunk and printed, and the exit status
// is 1.
//
// Package simstream simulates the stream; this program checks the guarantees of the aggregator.
package simulation
