// Package oracleweb replays access logs of small websites and compares every bucket of every site
// with an independent oracle: in its tests on a table in memory, and as the command that make
// oracle-web runs on the running stack with disturbed delivery, whose exit status is 1 if a bucket
// differs. test/data/NOTICE describes the data.
package oracleweb
