// Package model holds the nouns every other package speaks of: times, decimals,
// series, events, currents, outcomes and changes. It imports nothing of ours and
// knows no AWS type, so each noun means the same at every door and in every store.
package model
