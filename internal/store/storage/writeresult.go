package storage

import (
	"errors"
	"fmt"
)

// ErrTooLarge is the permanent error of a write after which an item would be larger than
// the table holds, 400 KB. Nothing of the request is stored.
var ErrTooLarge = errors.New("an item would be larger than 400 KB")

// WriteResult is what the server said about one write request. It is a report and not
// a conclusion: what to do next is the caller's decision.
type WriteResult int

// The results of a write.
const (
	Written         WriteResult = iota // everything in the request is stored
	ConditionFailed                    // a condition failed; nothing is stored
	Throttled                          // nothing is stored; try again later
	Conflicted                         // another transaction was in progress; nothing is stored; try again
	Unknown                            // no response, or a server error: the write may be stored or not
)

var writeResultNames = [...]string{"written", "condition failed", "throttled", "conflicted", "unknown"}

// String returns the result in words.
func (r WriteResult) String() string { return nameAt(writeResultNames[:], int(r), "WriteResult") }

// nameAt returns names[i], or the type and number of a value without a name.
func nameAt(names []string, i int, typeName string) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("%s(%d)", typeName, i)
	}
	return names[i]
}
