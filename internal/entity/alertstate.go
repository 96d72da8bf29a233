package entity

import "github.com/tidemark-db/tidemark/pkg/model"

// AlertState is how far the rules of a series have been tested.
type AlertState struct {
	Series model.Series
	Rules  []RuleState
	Rev    [16]byte // the optimistic lock: a new random value at each write; zero if no state is stored
}

// RuleState is how far one rule has been tested.
type RuleState struct {
	Rule string // its ID
	// Tested is the last event up to which the events of the series are tested.
	Tested model.Order
	// MaxTested is the last event up to which they were ever tested. It is after Tested
	// while the events after a deletion are tested again in parts; alerts may already
	// exist up to it.
	MaxTested model.Order
	// Open is the violation that still lasts at Tested; nil if there is none.
	Open *OpenViolation
}

// OpenViolation refers to an alert whose violation still lasts.
type OpenViolation struct {
	Alert  string // its ID
	Raised model.Order
}
