//go:build race

package main

// histories is how many a run of the tests plays: fewer where the race detector makes
// each of them ten times slower.
const histories = 150
