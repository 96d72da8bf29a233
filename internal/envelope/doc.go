// Package envelope is where what AWS sends becomes our nouns, and what we answer
// becomes what AWS expects: requests of the HTTP API, messages of IoT rules, batches
// of the table's stream. Every shape that somebody else defines is spelled here, a
// file a door, so that the use cases never meet one.
package envelope
