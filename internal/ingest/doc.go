// Package ingest is the way in: admission of observations at the door, and the
// append of events by compare-and-swap. It knows no AWS type; a store answers what
// the server answered, and every decision is taken here.
//
// A door decodes what it was sent into Observations. Admission makes an event of
// each, or says what is wrong with it. The events of a series are appended together,
// in transactions that mean exactly what one by one would mean: plan.go says what is
// sent, batch.go what a refusal teaches, retry.go what is no answer at all. What
// comes of it is one Outcome for each observation, in their order; verdicts are
// values, and an error is only what no repeat can mend.
package ingest
