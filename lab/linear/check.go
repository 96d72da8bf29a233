package linear

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// ErrUndecided reports a history that the checker did not decide in time: make it shorter.
var ErrUndecided = errors.New("the history could not be checked in time")

// patience is how long the check of one series may take. Most take less than a millisecond.
const patience = time.Minute

// Violation is a history that no correct table can produce.
type Violation struct {
	Series string
	Reason string
	log    *Log
}

// Error returns what is violated.
func (v *Violation) Error() string { return fmt.Sprintf("series %s: %s", v.Series, v.Reason) }

// Check checks the history of each series. The error is a *Violation, or ErrUndecided.
func (l *Log) Check() error {
	bySeries := l.bySeries()
	for _, name := range slices.Sorted(maps.Keys(bySeries)) {
		operations := bySeries[name]
		switch porcupine.CheckOperationsTimeout(l.policy().model(), operations, patience) {
		case porcupine.Illegal:
			return &Violation{
				Series: name,
				Reason: fmt.Sprintf("no order of its %d operations explains all responses", len(operations)),
				log:    l,
			}
		case porcupine.Unknown:
			return fmt.Errorf("series %s with %d operations: %w", name, len(operations), ErrUndecided)
		}
		if reason := l.checkReads(name); reason != "" {
			return &Violation{Series: name, Reason: reason, log: l}
		}
	}
	return nil
}

// Draw writes the history of the series as a page in which each operation is a bar, with the
// longest order that explains the responses.
func (v *Violation) Draw(path string) error {
	m := v.log.policy().model()
	_, info := porcupine.CheckOperationsVerbose(m, v.log.bySeries()[v.Series], patience)
	if err := porcupine.VisualizePath(m, info, path); err != nil {
		return fmt.Errorf("draw the history of %s: %w", v.Series, err)
	}
	return nil
}

// bySeries returns the operations of each series for porcupine. An operation without response
// has a client of its own, because its client goes on.
func (l *Log) bySeries() map[string][]porcupine.Operation {
	clients, last := 0, int64(0)
	for i := range l.Operations {
		clients = max(clients, l.Operations[i].Client+1)
		last = max(last, l.Operations[i].Call)
		if !l.Operations[i].Lost {
			last = max(last, l.Operations[i].Return)
		}
	}
	all, lost := map[string][]porcupine.Operation{}, map[string]int{}
	for i := range l.Operations {
		o := &l.Operations[i]
		p := porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Call, Return: o.Return}
		if o.Lost {
			p.ClientId, p.Return = clients+lost[o.Series], last+1
			lost[o.Series]++
		}
		all[o.Series] = append(all[o.Series], p)
	}
	return all
}
