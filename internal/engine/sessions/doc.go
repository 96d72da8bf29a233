// Package sessions folds the events of a kind into sessions, as another kind declares them
// (catalog.Sessions). A session is an event whose successor may still arrive, so it is never
// stored: the row of a bucket is folded from the source events, in order of time, from a
// little before the bucket until no session that began in it can go on.
//
// A source event without one of the same key in the gap before it begins a session. The
// session counts, with all its figures, in the bucket of that first event.
package sessions
