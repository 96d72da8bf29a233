package storage

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Bounds says on which side of its bounds a value violates a rule.
type Bounds string

// The kinds of bounds. A value equal to a bound does not violate it.
const (
	Above   Bounds = "above"   // greater than High
	Below   Bounds = "below"   // less than Low
	Outside Bounds = "outside" // less than Low, or greater than High
)

// Test says which number of an event is compared with the bounds of a rule.
type Test string

// The tests. Each depends on an event and the events before it alone.
const (
	TestValue Test = ""     // the value of the measure
	TestRate  Test = "rate" // its change since the reading before, per minute
	// TestSilence tests no measure: the rule is violated if there is no event for as long as For.
	TestSilence Test = "silence"
)

// Severity is how serious an alert is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities returns all severities, the most serious first.
func Severities() []Severity { return []Severity{Critical, Warning, Info} }

// Rule says when the events of a series raise an alert. What a rule tests never changes under one ID: a new
// threshold is a new revision, which applies from the time of the change.
type Rule struct {
	Name     string `json:"name"`
	Revision int    `json:"revision"` // from 1
	// SubjectType, Subject, Kind and Stream select the series that the rule applies to.
	SubjectType string `json:"-"` // in the key
	Subject     string `json:"-"` // an id; "" is every subject of the type
	Kind        string `json:"-"`
	AnyStream   bool   `json:"anyStream,omitempty"`
	Stream      string `json:"stream,omitempty"` // not used if AnyStream

	Test    Test           `json:"test,omitempty"`
	Measure string         `json:"measure"` // a numeric field; events without it are skipped
	Bounds  Bounds         `json:"bounds"`
	Low     *model.Decimal `json:"low,omitempty"`
	High    *model.Decimal `json:"high,omitempty"`
	// ClearLow and ClearHigh are the bounds within which an alert ends; nil means Low and High.
	ClearLow  *model.Decimal `json:"clearLow,omitempty"`
	ClearHigh *model.Decimal `json:"clearHigh,omitempty"`
	// For is how long, by event time, every reading must be beyond the bounds before the rule is violated; 0
	// means that one reading is enough.
	For      times.Span `json:"for,omitempty"`
	Severity Severity   `json:"severity"`

	From      model.Time `json:"from"` // events of this time and later are tested
	By        string     `json:"by,omitempty"`
	RemovedAt model.Time `json:"removedAt,omitempty"` // 0 while the rule is active
	RemovedBy string     `json:"removedBy,omitempty"`
	Reason    string     `json:"reason,omitempty"` // why it was removed; its open alerts end with this reason
	// epoch seconds, the TTL attribute of a removed rule; 0 means never
	ExpiresAt int64 `json:"-"`
}

// ID returns the name and revision, too-hot.2, with the prefix "own." if the rule is for
// one subject. Alerts and rule states refer to rules by ID.
func (r *Rule) ID() string {
	id := r.Name + "." + strconv.Itoa(r.Revision)
	if r.Subject != "" {
		id = "own." + id
	}
	return id
}

// Equal reports whether two rules test the same events in the same way.
func (r *Rule) Equal(o *Rule) bool {
	same := func(a, b *model.Decimal) bool { return (a == nil) == (b == nil) && (a == nil || a.Cmp(*b) == 0) }
	return r.WatchesSame(o) && r.Severity == o.Severity && r.Test == o.Test && r.Bounds == o.Bounds &&
		r.For == o.For &&
		same(r.Low, o.Low) && same(r.High, o.High) &&
		same(r.ClearLow, o.ClearLow) && same(r.ClearHigh, o.ClearHigh)
}

// WatchesSame reports whether two rules test the same measure of the same series of a subject type.
func (r *Rule) WatchesSame(o *Rule) bool {
	return r.Kind == o.Kind && r.AnyStream == o.AnyStream && r.Stream == o.Stream && r.Measure == o.Measure
}

// Watches returns the measure and the series that the rule tests, in words, such as temperature of READING,
// any stream.
func (r *Rule) Watches() string {
	stream := "any stream"
	if !r.AnyStream {
		stream = fmt.Sprintf("stream %q", r.Stream)
	}
	return fmt.Sprintf("%s of %s, %s", cmp.Or(r.Measure, "silence"), r.Kind, stream)
}

// Matches reports whether the rule applies to s.
func (r *Rule) Matches(s model.Series) bool {
	return r.SubjectType == s.Subject.Type && (r.Subject == "" || r.Subject == s.Subject.ID) &&
		r.Kind == s.Kind && (r.AnyStream || r.Stream == s.Stream)
}

// Reading returns an event's number in the measure of the rule; ok is false if it has none.
func (r *Rule) Reading(e *model.Event) (_ Moment, ok bool) {
	v, ok := e.Attrs.Get(r.Measure)
	if !ok || e.Unreadable || v.Kind != model.Number {
		return Moment{}, false
	}
	return Moment{At: e.At, Event: e.ID, Value: v.Number}, true
}

// ViolatedBy reports whether v is beyond the rule's bounds.
func (r *Rule) ViolatedBy(v model.Decimal) bool { return r.beyond(v, r.Low, r.High) }

// LastsAt reports whether a violation that has begun lasts at v: v is beyond the bounds within which it ends.
func (r *Rule) LastsAt(v model.Decimal) bool {
	return r.beyond(v, cmp.Or(r.ClearLow, r.Low), cmp.Or(r.ClearHigh, r.High))
}

func (r *Rule) beyond(v model.Decimal, low, high *model.Decimal) bool {
	below := low != nil && v.Cmp(*low) < 0
	above := high != nil && v.Cmp(*high) > 0
	return r.Bounds != Above && below || r.Bounds != Below && above
}

// Limit returns when the rule is violated, in words: above 30 for 10m until 28, outside 18 to 24.
func (r *Rule) Limit() string {
	if r.Test == TestSilence {
		return "silent for " + r.For.Text()
	}
	limit := string(r.Bounds) + " " + r.bounds(r.Low, r.High)
	if r.Test == TestRate {
		limit += " per minute"
	}
	if r.For > 0 {
		limit += " for " + r.For.Text()
	}
	if r.ClearLow != nil || r.ClearHigh != nil {
		limit += " until " + r.bounds(r.ClearLow, r.ClearHigh)
	}
	return limit
}

func (r *Rule) bounds(low, high *model.Decimal) string {
	var bounds []string
	if low != nil && r.Bounds != Above {
		bounds = append(bounds, low.String())
	}
	if high != nil && r.Bounds != Below {
		bounds = append(bounds, high.String())
	}
	return strings.Join(bounds, " to ")
}
