// Package alert raises an alert when the events of a series violate a rule, and resolves
// it when they recover.
//
// The alerts of a series are a function of its applied events, in their order. Applied events are committed
// in strictly increasing order, because each append replaces the latest item on the condition that it is
// unchanged. A process that reads the latest item and then the events up to it has therefore seen every
// applied event up to it. The order in which the table stream delivers records does not matter.
//
// A record of the table stream only says which series to evaluate. An evaluation reads the state of the rules
// of the series, tests the events from the tested position up to the latest item, and writes state and alerts
// in one transaction, on the condition that the state is unchanged. Repeated delivery, disorder, concurrency
// and crashes all have the same solution: evaluate again.
//
// A group has no events: the rows of its finest tier are its readings. See rowReadings.
//
// The notification of a change is stored in the transaction that stores the change, and
// is kept until it is delivered: at least once.
package alert
