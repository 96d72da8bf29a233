package storage

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// AlertsKept is how long an alert is kept at least after it is no longer open: a day longer than counts of
// alerts go back, which begin at a whole hour.
const AlertsKept = AlertsCounted + tier.Day24

// AlertsCounted is how far counts of alerts go back.
const AlertsCounted = 90 * tier.Day24

// Violation is the part of an alert that follows from the events of its series alone.
type Violation struct {
	Raised    model.Order   `json:"-"` // the event that began it
	Value     model.Decimal `json:"value"`
	Recovered *Moment       `json:"recovered,omitempty"` // the event that ended it; nil while it lasts
	// Withdrawn is the reason why the violation no longer exists, for example because its
	// event was deleted; "" if it exists.
	Withdrawn string `json:"withdrawn,omitempty"`
}

// Moment is an event of an alert and its value.
type Moment struct {
	At    model.Time    `json:"at"`
	Event string        `json:"event,omitempty"` // its id
	Value model.Decimal `json:"value"`
}

// Order returns the position of the event in its series.
func (m *Moment) Order() model.Order { return model.Order{At: m.At, ID: m.Event} }

// equal reports whether both are nil, or the same event with the same value.
func (m *Moment) equal(o *Moment) bool {
	if m == nil || o == nil {
		return m == o
	}
	return m.Order() == o.Order() && m.Value.Cmp(o.Value) == 0
}

// ManualAction is an action of a user: who, and when.
type ManualAction struct {
	At model.Time `json:"at"`
	By string     `json:"by"`
}

// Alert is one violation of a rule by a series, with what people did about it. Its ID
// follows from the series, the rule and the event that raised it.
type Alert struct {
	ID       string       `json:"id"` // a ULID with the time of the event
	Series   model.Series `json:"-"`
	Rule     string       `json:"rule"` // the rule's ID
	Severity Severity     `json:"severity"`
	Measure  string       `json:"measure"`
	Unit     string       `json:"unit,omitempty"` // of the value, as the kind declared it; "" if it has none
	Limit    string       `json:"limit"`          // the rule's bounds, in words
	Violation
	Acknowledged *ManualAction `json:"acknowledged,omitempty"`
	Resolved     *ManualAction `json:"resolved,omitempty"` // by a user
	// Ended is set if the rule was removed or changed while the alert was open.
	Ended *Ending `json:"ended,omitempty"`

	Rev       [16]byte `json:"-"` // the optimistic lock: a new random value at each write
	ExpiresAt int64    `json:"-"` // epoch seconds, the TTL attribute; 0 while it is open
}

// Ending is when and why an alert ended for another reason than its events.
type Ending struct {
	At     model.Time `json:"at"`
	Reason string     `json:"reason"`
}

// AlertStatus is the status of an alert.
type AlertStatus string

// The statuses. Only open alerts are in the index of open alerts.
const (
	AlertOpen      AlertStatus = "open"
	AlertResolved  AlertStatus = "resolved" // by recovery, by a user, or because its rule ended
	AlertWithdrawn AlertStatus = "withdrawn"
)

// Status returns the status of the alert.
func (a *Alert) Status() AlertStatus {
	switch {
	case a.Withdrawn != "":
		return AlertWithdrawn
	case a.Recovered != nil || a.Resolved != nil || a.Ended != nil:
		return AlertResolved
	}
	return AlertOpen
}

// Message returns what happened, for people: temperature 31.5 °C above 30.
func (a *Alert) Message() string {
	if a.Measure == "" { // a silence
		return a.Limit
	}
	value := a.Value.String()
	if a.Unit != "" {
		value += " " + a.Unit
	}
	return a.Measure + " " + value + " " + a.Limit
}

// AlertChange is what happened to an alert.
type AlertChange string

// The changes that are delivered as notifications.
const (
	AlertChangeRaised AlertChange = "raised"
	// AlertChangePassed is a violation that had ended when it was found.
	AlertChangePassed       AlertChange = "raised and recovered"
	AlertChangeRecovered    AlertChange = "recovered"
	AlertChangeReopened     AlertChange = "reopened" // the event that ended it was deleted or corrected
	AlertChangeWithdrawn    AlertChange = "withdrawn"
	AlertChangeReinstated   AlertChange = "reinstated" // withdrawn, and raised again by the same event
	AlertChangeAcknowledged AlertChange = "acknowledged"
	AlertChangeResolved     AlertChange = "resolved"  // by a user
	AlertChangeEnded        AlertChange = "ended"     // its rule was removed or changed
	AlertChangeCorrected    AlertChange = "corrected" // its values changed, its status did not
)

// AlertEventSource is the source of alert events on the event bus; bus rules match it.
const AlertEventSource = "tidemark.alerts"

// DetailType returns the detail type of the bus event: Alert raised.
func (c AlertChange) DetailType() string { return "Alert " + string(c) }

// Notification is a change of an alert that must be delivered to the event bus. It is
// stored in the transaction that stores the change, and kept until it is delivered.
type Notification struct {
	Alert     Alert // after the change; its Rev distinguishes the notifications of one alert
	Change    AlertChange
	At        model.Time // the time of the change
	ExpiresAt int64      // epoch seconds, the TTL attribute, set on delivery; 0 before
}

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
	// MaxTested is the last event up to which they were ever tested. It is after Tested while the events
	// after a deletion are tested again in parts; alerts may already exist up to it.
	MaxTested model.Order
	// Open is the violation that still lasts at Tested; nil if there is none.
	Open *OpenViolation
	RuleMemory
}

// RuleMemory is what a rule needs of the events up to Tested to test the next one, beside an open violation.
type RuleMemory struct {
	// Since is the first of the latest readings that are all beyond the bounds, for a rule with a duration
	// that no violation is open for; nil if there is none.
	Since *model.Order
	// Last is the latest reading, for a rule that compares readings; nil before the first.
	Last *Moment
}

// Equal reports whether two memories are the same.
func (m RuleMemory) Equal(o RuleMemory) bool {
	since := m.Since == o.Since || m.Since != nil && o.Since != nil && *m.Since == *o.Since
	return since && m.Last.equal(o.Last)
}

// OpenViolation refers to an alert whose violation still lasts.
type OpenViolation struct {
	Alert  string // its ID
	Raised model.Order
}
