//go:build !race

package main

// histories is how many a run of the tests plays.
const histories = 400
