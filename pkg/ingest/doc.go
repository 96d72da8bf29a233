// Package ingest is the way in: admission of observations at the door, and the
// append of events by compare-and-swap. It knows no AWS type; a store answers what
// the server answered, and every decision is taken here.
package ingest
