package storage

import (
	"fmt"
	"strconv"
	"strings"

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

	Measure  string         `json:"measure"` // a numeric field; events without it are skipped
	Bounds   Bounds         `json:"bounds"`
	Low      *model.Decimal `json:"low,omitempty"`
	High     *model.Decimal `json:"high,omitempty"`
	Severity Severity       `json:"severity"`

	From      model.Time `json:"from"` // events of this time and later are tested
	By        string     `json:"by,omitempty"`
	RemovedAt model.Time `json:"removedAt,omitempty"` // 0 while the rule is active
	RemovedBy string     `json:"removedBy,omitempty"`
	Reason    string     `json:"reason,omitempty"` // why it was removed; its open alerts end with this reason
	ExpiresAt int64      `json:"-"`                // epoch seconds, the TTL attribute of a removed rule; 0 means never
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
	return r.Kind == o.Kind && r.Measure == o.Measure && r.Bounds == o.Bounds && r.Severity == o.Severity &&
		r.AnyStream == o.AnyStream && r.Stream == o.Stream && same(r.Low, o.Low) && same(r.High, o.High)
}

// Matches reports whether the rule applies to s.
func (r *Rule) Matches(s model.Series) bool {
	return r.SubjectType == s.Subject.Type && (r.Subject == "" || r.Subject == s.Subject.ID) &&
		r.Kind == s.Kind && (r.AnyStream || r.Stream == s.Stream)
}

// ViolatedBy reports whether v is beyond the rule's bounds.
func (r *Rule) ViolatedBy(v model.Decimal) bool {
	below := r.Low != nil && v.Cmp(*r.Low) < 0
	above := r.High != nil && v.Cmp(*r.High) > 0
	return r.Bounds != Above && below || r.Bounds != Below && above
}

// Limit returns the bounds in words: above 30, outside 18 to 24.
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
