// Package patterns lists every access pattern of the table. A row has the same request in
// Go, over HTTP and on the command line. The tests make each request twice, on a table in
// memory to measure its cost and on a server that records it, and compare the results with
// docs/ACCESS-PATTERNS.md. To write that page:
//
//	go test ./test/patterns -update
package patterns
