// Package patterns is every access pattern there is: a row says what is asked, how it is
// asked in Go, over HTTP and on the command line. Each row is carried out, on a table in
// memory for what it costs and against a server that writes down the request, and
// docs/ACCESS-PATTERNS.md is what came of that. To write it anew:
//
//	go test ./test/patterns -update
package patterns
