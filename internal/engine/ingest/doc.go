// Package ingest is the write path: it validates observations and appends them as events
// with a compare-and-swap on the latest item of their series. It knows no AWS type. A
// store reports what the server said; all decisions are made here.
//
// A source (HTTP, IoT, queue, stream) decodes its input into Observations. Validation turns each one into an
// event or returns its field errors. The events of a series are appended together, in transactions whose
// outcomes equal the outcomes of appending the events one by one: plan.go builds a transaction, batch.go
// evaluates its result. Each observation gets one AppendResult, in the given order. Outcomes are values; an
// error is returned only for a permanent failure.
package ingest
