// Package mutation makes small faults in the packages of the write path, by rule: it negates
// conditions, drops statements, shifts bounds, exchanges operators and arguments. It compiles all
// faults into the tests at once, each behind a switch, and runs the tests with one of them switched
// on. Faults that no test finds are listed in survivors.txt with the reason, or are gaps in the
// tests. The exit status is 1 if fewer than 95 % of the others are found.
package mutation
