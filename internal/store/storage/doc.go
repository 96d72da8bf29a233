// Package storage holds the requests and results that the use cases and the stores exchange: what the server
// said about a write, range reads and index queries, decoded table stream records, and the entities that only
// Tidemark's own packages read and write: alerts and their rules, purges and purge locks, quarantined
// payloads, rotating secrets, unique sentinels, and gaps in the table stream. It is free of AWS types, so
// that a store in memory and a store on DynamoDB exchange the same values. The entities of the public API
// (events, latest items, profiles) are in package model.
package storage
