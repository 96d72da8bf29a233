// Package model holds the types that all other packages share: times, decimals, series, events, latest items,
// profiles, conditions and outcomes. It imports no other package of this module and no AWS type, so each type
// means the same at every source and in every store.
package model
