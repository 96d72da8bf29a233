package timeseries

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoRule reports that there is no such rule.
var ErrNoRule = alert.ErrNoRule

// Severity is how serious an alert is.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// check returns model.ErrCondition for a severity that no alert has. "" is any.
func (s Severity) check() error {
	switch s {
	case "", Info, Warning, Critical:
		return nil
	}
	return fmt.Errorf("%w: %.64q is not a severity: want info, warning or critical", model.ErrCondition, s)
}

// RuleTest says what a rule compares with its bounds.
type RuleTest string

// The tests.
const (
	TestValue   RuleTest = ""        // the value of the measure
	TestRate    RuleTest = "rate"    // its change since the reading before, per minute
	TestSilence RuleTest = "silence" // no event for as long as For: such a rule has no measure and no bounds
)

// Rule raises an alert if a number of an event is beyond its bounds. A value equal to a bound is not. Set
// Above or Below, or both for values outside of a range.
type Rule struct {
	Name    string  // lower-case letters, digits and hyphens: too-hot
	Subject string  // "" is every subject of the kind's type
	Stream  *string // nil is any stream
	Test    RuleTest
	Measure string
	Above   *model.Decimal // an alert is raised for more than this
	Below   *model.Decimal // an alert is raised for less than this
	// ClearAbove and ClearBelow are the bounds at which an alert ends; nil means Above and Below.
	ClearAbove, ClearBelow *model.Decimal
	// For is how long all readings must be beyond the bounds, by event time; of TestSilence, how long there is
	// no event.
	For      time.Duration
	Severity Severity // "" is Warning
	By       string   // who added it

	ID   string    // of the name and its revision, as alerts have it; set by the table
	From time.Time // events of this time and later are tested; set by the table
}

// AlertStatus is the status of an alert.
type AlertStatus string

// The statuses.
const (
	AlertOpen      AlertStatus = "open"
	AlertResolved  AlertStatus = "resolved"  // by its events or a person, or its rule was removed or changed
	AlertWithdrawn AlertStatus = "withdrawn" // its event was deleted or corrected: there is no violation
)

// Alert is one violation of a rule by a series.
type Alert struct {
	ID       string
	Key      Key
	Rule     string // the rule's ID
	Severity Severity
	Status   AlertStatus
	Measure  string        // "" of a silence
	Value    model.Decimal // of the event that raised it
	Message  string        // for people: temperature 31.5 °C above 30
	Raised   time.Time     // the time of the event that raised it
	// ResolvedAt is when it stopped being open, by its events, a person, or with its rule; zero while it is
	// open.
	ResolvedAt     time.Time
	AcknowledgedBy string // "" until a person acknowledges it
	Withdrawn      string // why there is no such violation any more
}

// AlertFilter selects alerts. The zero AlertFilter selects all.
type AlertFilter struct {
	Open     bool
	Severity Severity // "" is any
}

// PutRule stores a rule and returns it with its ID. It tests the events of the last hour at once, of one
// subject its newest event, and later ones as the deployed function processes them. If a rule of this name
// exists and differs, the new rule is its next revision, and the open alerts of the revision before end. The
// error wraps ErrRejected for a rule that is not valid, such as one of a measure that is neither declared nor
// in a latest item, or one with the name of a rule for another kind, measure or stream. Repeat the call after
// any other error.
func (e *Events[T]) PutRule(ctx context.Context, r Rule) (Rule, error) {
	service, kind, err := e.alerts(ctx)
	if err != nil {
		return Rule{}, err
	}
	draft := r.stored(kind)
	known, err := service.KnowsMeasure(ctx, draft)
	if err != nil {
		return Rule{}, classified(err)
	}
	if !known {
		return Rule{}, model.FieldErrors{{Field: "measure", Code: alert.CodeRuleMeasure, Message: fmt.Sprintf(
			"%.64q is not a measure of %s that is declared or was seen in a latest item", r.Measure, kind.Name)}}
	}
	added, problems, err := service.AddRule(ctx, draft)
	switch {
	case err != nil:
		return Rule{}, classified(err)
	case len(problems) > 0:
		return Rule{}, model.FieldErrors(problems)
	}
	return newRule(added), nil
}

// Rules returns the rules of the kind for all subjects of its type, or the own rules of one subject.
func (e *Events[T]) Rules(ctx context.Context, subject string) ([]Rule, error) {
	service, kind, err := e.alerts(ctx)
	if err != nil {
		return nil, err
	}
	all, err := service.Rules(ctx, kind.Subject.Name, subject)
	if err != nil {
		return nil, classified(err)
	}
	ofKind := lists.Filter(all, func(r storage.Rule) bool { return r.Kind == kind.Name })
	return lists.Map(ofKind, newRule), nil
}

// DeleteRule removes a rule of the kind by its name and ends its open alerts. subject is "" for a rule of all
// subjects. by says who removed it. The error wraps ErrNoRule if there is none.
func (e *Events[T]) DeleteRule(ctx context.Context, subject, name, by string) error {
	rules, err := e.Rules(ctx, subject)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(rules, func(r Rule) bool { return r.Name == name }) {
		return fmt.Errorf("remove rule %s: %w", name, ErrNoRule)
	}
	service, kind, err := e.alerts(ctx)
	if err != nil {
		return err
	}
	_, err = service.RemoveRule(ctx, kind.Subject.Name, subject, name, by)
	if err != nil {
		return classified(err)
	}
	return nil
}

// Alerts returns an iterator over the alerts of the kind's events of one subject, newest first: open alerts
// and their history. It reads consistently.
func (e *Events[T]) Alerts(ctx context.Context, subject string, f AlertFilter) iter.Seq2[Alert, error] {
	if err := errors.Join(f.Severity.check(), e.series(Key{Subject: subject}).Check()); err != nil {
		return paging.Fail[Alert](err)
	}
	return e.eachAlert(ctx, func(s *alert.Service, kind *catalog.Kind) iter.Seq2[storage.Alert, error] {
		return s.OfSubject(ctx, model.Subject{Type: kind.Subject.Name, ID: subject},
			alert.Filter{Open: f.Open, Severity: storage.Severity(f.Severity)}, 0)
	})
}

// OpenAlerts returns an iterator over the open alerts of the kind over all subjects: the most severe first,
// and then the newest. Rules are evaluated when an event is processed: see Progress. severity "" is any.
func (e *Events[T]) OpenAlerts(ctx context.Context, severity Severity) iter.Seq2[Alert, error] {
	if err := severity.check(); err != nil {
		return paging.Fail[Alert](err)
	}
	return e.eachAlert(ctx, func(s *alert.Service, _ *catalog.Kind) iter.Seq2[storage.Alert, error] {
		return s.MostSevere(ctx, storage.Severity(severity))
	})
}

// eachAlert yields the alerts of the kind. An error comes last.
func (e *Events[T]) eachAlert(ctx context.Context,
	read func(*alert.Service, *catalog.Kind) iter.Seq2[storage.Alert, error]) iter.Seq2[Alert, error] {
	return func(yield func(Alert, error) bool) {
		service, kind, err := e.alerts(ctx)
		if err != nil {
			yield(Alert{}, err)
			return
		}
		for a, err := range read(service, kind) {
			if err != nil {
				yield(Alert{}, classified(err))
				return
			}
			if a.Series.Kind == kind.Name && !yield(newAlert(&a), nil) {
				return
			}
		}
	}
}

// alerts returns a service for the rules and alerts of the kind that the table has, and this kind.
func (e *Events[T]) alerts(ctx context.Context) (*alert.Service, *catalog.Kind, error) {
	kind, err := e.kindOfTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	store, ok := e.editor.Store.(alert.Store)
	if !ok {
		return nil, nil, fmt.Errorf("%w: a %T has no alerts: use *dynamo.Table or *memory.Table", ErrPermanent,
			e.editor.Store)
	}
	kinds, err := catalog.New(append([]catalog.Kind{*kind}, e.sources...)...)
	if err != nil {
		return nil, nil, err
	}
	s := e.ingest
	return &alert.Service{Store: store, Catalog: kinds, Now: s.Now, Rand: s.Rand, Sleep: s.Sleep,
		RetryPolicy: s.RetryPolicy}, kind, nil
}

func (r Rule) stored(kind *catalog.Kind) storage.Rule {
	out := storage.Rule{
		Name: r.Name, SubjectType: kind.Subject.Name, Subject: r.Subject, Kind: kind.Name,
		AnyStream: r.Stream == nil, Test: storage.Test(r.Test), Measure: r.Measure, Low: r.Below,
		High: r.Above, ClearLow: r.ClearBelow, ClearHigh: r.ClearAbove, For: times.Span(r.For),
		Severity: storage.Severity(r.Severity), By: r.By,
	}
	if r.Stream != nil {
		out.Stream = *r.Stream
	}
	if out.Severity == "" {
		out.Severity = storage.Warning
	}
	switch {
	case r.Above != nil && r.Below != nil:
		out.Bounds = storage.Outside
	case r.Above != nil:
		out.Bounds = storage.Above
	case r.Below != nil:
		out.Bounds = storage.Below
	}
	return out
}

func newRule(r storage.Rule) Rule {
	out := Rule{
		Name: r.Name, Subject: r.Subject, Test: RuleTest(r.Test), Measure: r.Measure, Above: r.High, Below: r.Low,
		ClearAbove: r.ClearHigh, ClearBelow: r.ClearLow, For: time.Duration(r.For), Severity: Severity(r.Severity),
		By: r.By, ID: r.ID(), From: toTime(r.From),
	}
	if !r.AnyStream {
		out.Stream = &r.Stream
	}
	return out
}

func newAlert(a *storage.Alert) Alert {
	view := alert.NewView(a)
	out := Alert{
		ID: a.ID, Key: Key{Subject: a.Series.Subject.ID, Stream: a.Series.Stream}, Rule: a.Rule,
		Severity: Severity(a.Severity), Status: AlertStatus(view.Status), Measure: a.Measure, Value: a.Value,
		Message: view.Message, Raised: toTime(view.At), Withdrawn: a.Withdrawn,
	}
	if view.ResolvedAt != nil {
		out.ResolvedAt = toTime(*view.ResolvedAt)
	}
	if a.Acknowledged != nil {
		out.AcknowledgedBy = a.Acknowledged.By
	}
	return out
}
