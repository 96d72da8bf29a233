package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds says on which side of its bounds a value violates a rule.
type Bounds string

// The forms of a threshold. A value on a bound violates none of them.
const (
	Above   Bounds = "above"   // more than High
	Below   Bounds = "below"   // less than Low
	Outside Bounds = "outside" // less than Low, or more than High
)

// Severity says how much an alert matters to those who are told.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities are all there are, gravest first.
func Severities() []Severity { return []Severity{Critical, Warning, Info} }

// Rule says when the events of a series raise an alert. What it tests is fixed under its
// ID: who wants another threshold makes the next revision, which begins where the change
// was made.
type Rule struct {
	Name     string `json:"name"`
	Revision int    `json:"revision"` // from 1
	// SubjectType and, unless the rule is for all of the type, Subject say whose series
	// it is about; so do Kind and, unless AnyStream, Stream.
	SubjectType string `json:"-"` // in the key
	Subject     string `json:"-"` // an id; "" is every subject of the type
	Kind        string `json:"-"`
	AnyStream   bool   `json:"anyStream,omitempty"`
	Stream      string `json:"stream,omitempty"`

	Measure  string   `json:"measure"` // a number among the event's fields; an event without it says nothing
	Bounds   Bounds   `json:"bounds"`
	Low      *Decimal `json:"low,omitempty"`
	High     *Decimal `json:"high,omitempty"`
	Severity Severity `json:"severity"`

	From      Time   `json:"from"` // events of this time and later are tested
	By        string `json:"by,omitempty"`
	RemovedAt Time   `json:"removedAt,omitempty"` // 0 while it stands
	RemovedBy string `json:"removedBy,omitempty"`
	Reason    string `json:"reason,omitempty"` // why it was removed: what its open alerts end with
	ExpiresAt int64  `json:"-"`                // epoch seconds, the TTL attribute of a removed rule; 0 means never
}

// ID names the rule in states and alerts: its name and revision, too-hot.2. A subject's
// own begins with own, so that it is not taken for its type's of the same name.
func (r *Rule) ID() string {
	id := r.Name + "." + strconv.Itoa(r.Revision)
	if r.Subject != "" {
		id = "own." + id
	}
	return id
}

// Same reports whether two rules test the same of the same events.
func (r *Rule) Same(o *Rule) bool {
	same := func(a, b *Decimal) bool { return (a == nil) == (b == nil) && (a == nil || a.Cmp(*b) == 0) }
	return r.Kind == o.Kind && r.Measure == o.Measure && r.Bounds == o.Bounds && r.Severity == o.Severity &&
		r.AnyStream == o.AnyStream && r.Stream == o.Stream && same(r.Low, o.Low) && same(r.High, o.High)
}

// Of reports whether the rule is about a series, as far as kind and stream say.
func (r *Rule) Of(s Series) bool {
	return r.SubjectType == s.Subject.Type && (r.Subject == "" || r.Subject == s.Subject.ID) &&
		r.Kind == s.Kind && (r.AnyStream || r.Stream == s.Stream)
}

// Violated reports whether v lies beyond the rule's bounds.
func (r *Rule) Violated(v Decimal) bool {
	below := r.Low != nil && v.Cmp(*r.Low) < 0
	above := r.High != nil && v.Cmp(*r.High) > 0
	return r.Bounds != Above && below || r.Bounds != Below && above
}

// Limit is the bounds in words: above 30, outside 18 to 24.
func (r *Rule) Limit() string {
	var bounds []string
	if r.Low != nil && r.Bounds != Above {
		bounds = append(bounds, r.Low.String())
	}
	if r.High != nil && r.Bounds != Below {
		bounds = append(bounds, r.High.String())
	}
	return fmt.Sprintf("%s %s", r.Bounds, strings.Join(bounds, " to "))
}

// Violation is what the events of a series say of an alert, and nobody else.
type Violation struct {
	Raised    Order   `json:"-"` // the event that began it
	Value     Decimal `json:"value"`
	Recovered *Moment `json:"recovered,omitempty"` // the event that ended it; nil while it lasts
	// Withdrawn says why there is no such violation after all; "" where there is.
	Withdrawn string `json:"withdrawn,omitempty"`
}

// Moment is an event, and its value, in an alert.
type Moment struct {
	At    Time    `json:"at"`
	Event string  `json:"event,omitempty"` // its id
	Value Decimal `json:"value"`
}

// Order is the place of the event in its series.
func (m *Moment) Order() Order { return Order{At: m.At, ID: m.Event} }

// Hand is somebody who did something by hand, and when.
type Hand struct {
	At Time   `json:"at"`
	By string `json:"by"`
}

// Alert is one violation of a rule by a series, and what people made of it. Its ID
// follows from series, rule and the event that raised it.
type Alert struct {
	ID       string   `json:"id"` // a ULID; its time is the event's
	Series   Series   `json:"-"`
	Rule     string   `json:"rule"` // its ID
	Severity Severity `json:"severity"`
	Measure  string   `json:"measure"`
	Limit    string   `json:"limit"` // the rule's, in words
	Violation
	Acknowledged *Hand `json:"acknowledged,omitempty"`
	Resolved     *Hand `json:"resolved,omitempty"` // by hand
	// Ended says that its rule was removed or changed while it was open.
	Ended *Ending `json:"ended,omitempty"`

	Rev       [16]byte `json:"-"` // the nonce of the last write: the optimistic lock
	ExpiresAt int64    `json:"-"` // epoch seconds, the TTL attribute; 0 while it is open
}

// Ending is when an alert ended other than by its events, and why.
type Ending struct {
	At     Time   `json:"at"`
	Reason string `json:"reason"`
}

// AlertStatus is where an alert stands.
type AlertStatus string

// The statuses. An alert that is not open stands in no index of open alerts.
const (
	AlertOpen      AlertStatus = "open"
	AlertResolved  AlertStatus = "resolved" // by recovery, by hand, or with its rule
	AlertWithdrawn AlertStatus = "withdrawn"
)

// Status is where the alert stands.
func (a *Alert) Status() AlertStatus {
	switch {
	case a.Withdrawn != "":
		return AlertWithdrawn
	case a.Recovered != nil || a.Resolved != nil || a.Ended != nil:
		return AlertResolved
	}
	return AlertOpen
}

// Message says what happened, for people: temperature 31.5 above 30.
func (a *Alert) Message() string { return a.Measure + " " + a.Value.String() + " " + a.Limit }

// AlertState is how far the rules of a series have been tested.
type AlertState struct {
	Series Series
	Rules  []RuleState
	Rev    [16]byte // the nonce of the last write: the optimistic lock; zero where there is no state yet
}

// RuleState is how far one rule has been tested.
type RuleState struct {
	Rule string // its ID
	// Tested is the last event up to which the events of the series were tested.
	Tested Order
	// Reach is the furthest event up to which they ever were: beyond Tested, while what
	// follows a deletion is tested again piece by piece, alerts may stand already.
	Reach Order
	// Open is the violation that lasts at Tested; nil where there is none.
	Open *OpenViolation
}

// OpenViolation names an alert whose violation lasts.
type OpenViolation struct {
	Alert  string // its ID
	Raised Order
}

// AlertChange is what happened to an alert.
type AlertChange string

// The changes that are told.
const (
	AlertRaised       AlertChange = "raised"
	AlertRecovered    AlertChange = "recovered"
	AlertReopened     AlertChange = "reopened" // the event that ended it was deleted or corrected
	AlertTakenBack    AlertChange = "withdrawn"
	AlertReinstated   AlertChange = "reinstated" // withdrawn, and raised again by the same event
	AlertAcknowledged AlertChange = "acknowledged"
	AlertClosed       AlertChange = "resolved"  // by hand
	AlertEnded        AlertChange = "ended"     // its rule was removed or changed
	AlertCorrected    AlertChange = "corrected" // what its events say of it changed, and not whether it stands
)

// AlertSource is what events about alerts say they come from; rules of a bus match it.
const AlertSource = "tidemark.alerts"

// DetailType is what such an event says it is of: Alert raised.
func (c AlertChange) DetailType() string { return "Alert " + string(c) }

// Notice is a change of an alert that is to be told to the world. It is stored with the
// change, in one transaction, until it has been delivered.
type Notice struct {
	Alert     Alert // as the change left it: Rev tells the notices of an alert apart
	Change    AlertChange
	At        Time  // the clock of the change
	ExpiresAt int64 // epoch seconds, the TTL attribute, once it was delivered; 0 before
}
