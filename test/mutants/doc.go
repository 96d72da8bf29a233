// Package mutants plants faults in copies of the aggregation code, one at a time, and runs
// the tests against each. A fault that no test finds is either a gap in the tests or
// harmless. Harmless faults are listed with the reason; any other survivor makes the exit
// status 1. The working tree is not changed: each copy replaces its file for one run of
// the tests.
package mutants
