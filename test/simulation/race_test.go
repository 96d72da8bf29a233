//go:build race

package main

// histories is the number of histories that a test run plays: fewer than without the race
// detector, which makes each ten times slower.
const histories = 150
