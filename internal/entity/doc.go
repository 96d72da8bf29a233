// Package entity holds the entities that only Tidemark's own packages read and write: alerts and their rules,
// purges and purge locks, quarantined payloads, rotating secrets, unique sentinels, and gaps in the table
// stream. The entities of the public API (events, latest items, profiles) are in package model.
package entity
