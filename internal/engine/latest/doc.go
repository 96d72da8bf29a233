// Package latest folds latest items: it makes the latest item of a series follow its stored events, after
// corrections and deletions too. Both the writers that change events and the aggregation of the table stream
// use it, so that a change is in the item when a writer's call returns, and a change by any other program
// when the stream has delivered it.
//
// A fold reads the item first and the events after it, and writes on condition that the item is unchanged.
// Each write has a new revision. So an item that was written last was computed from events that were read
// after the item before it was written.
package latest
