// Package simstream simulates tables, the delivery of their stream and faults, for Tidemark's own tests and
// for pkg/streamtest, its public form. A Trial simulates histories, each from its seed. Checks run whenever
// the history is quiet. A failing history is reduced to the choices that it needs, and returned as a Trace.
package simstream
