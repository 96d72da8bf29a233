// Package storage holds the requests and results that the use cases and the stores exchange: what the server
// said about a write, range reads and index queries, and decoded table stream records. It is free of AWS
// types, so that a store in memory and a store on DynamoDB speak the same language.
package storage
