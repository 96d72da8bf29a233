//go:build !race

package main

// histories is the number of histories that a test run plays.
const histories = 400
