// Package oracle replays the logger data through the running stack with disturbed delivery, and
// compares every stored bucket with an independent oracle: in its tests an extract of the data, and
// as the command that make oracle runs all of it, whose exit status is 1 if a bucket differs.
package oracle
