// Package onfailure reads the messages that name the ranges of the table stream which
// the functions failed to process: from the on-failure queue of a deployed stack, or
// from the on-failure file of a stack on this machine.
package onfailure

// Message is one on-failure message.
type Message struct {
	ID     string // identifies it for people
	Handle string // identifies it for Remove
	Body   []byte
}
