// Package alert raises an alert where the events of a series violate a rule, and
// resolves it where they recover.
//
// An alert is a function of the applied events of its series, in their order. These are
// committed in strictly increasing order, by the compare-and-swap of current: so whoever
// has read current, and then reads the events up to it, has seen every applied event up
// to there that stands. No order of delivery is needed for that, and nothing is
// remembered of it. A record of the table stream only says which series to look at
// again; a look advances the state of its rules from where they were tested last up to
// current, and writes state and alerts in one transaction, on condition that nobody
// wrote the state since it was read. Redelivery, disorder, concurrency and crashes are
// one case: look again.
//
// What an alert tells the world is stored beside it, in the same transaction, until it
// has been delivered: at least once, and never omitted.
package alert
